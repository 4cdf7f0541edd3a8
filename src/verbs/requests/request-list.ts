import { LogEntry } from '../../insight/journal/log-entry.js';
import { count, list, name, object } from '../../schema.js';
import { journalOf, verb } from '../verb.js';
import { boundFields, requestFields } from './request-fields.js';
import { requestLine } from './request-line.js';

export const requestList = verb({
  name: 'request list',
  does: 'List the last requests.',
  notes: 'Names and texts are compared without regard to case.',
  http: 'GET /requests',
  changes: 'nothing',
  example: 'requests --status 4xx',
  takes: { ...requestFields, ...boundFields },
  answers: object('RequestList', 'Requests of the journal.', {
    scope: name('Whose requests these are.'),
    first: count('The position of the oldest request that is kept.'),
    next: count('The position of the next request.'),
    capacity: count('How many requests are kept.'),
    requests: list('The requests, the oldest first.', LogEntry),
  }),
  lists: 'requests',
  async run(server, wish) {
    const journal = journalOf(server);
    const { listEntries } = await import('../../insight/journal/select-entries.js');
    const { first, next, capacity } = journal;
    const scope = 'the requests of this server since it started';
    return { scope, first, next, capacity, requests: listEntries(journal, wish) };
  },
  lines: ({ requests }) => requests.map(requestLine),
});
