import { LogEntry } from '../../insight/journal/log-entry.js';
import { anyOf, count, object } from '../../schema.js';
import { journalOf, linesVerb } from '../verb.js';
import { requestFields } from './request-fields.js';
import { requestLine } from './request-line.js';

export const requestFollow = linesVerb({
  name: 'request follow',
  does: 'Print the kept requests, then each new one until the server stops.',
  http: 'GET /requests/follow',
  changes: 'nothing',
  example: 'requests --follow --status 4xx',
  takes: requestFields,
  sends: 'lines',
  answers: anyOf('A request, or how many came too fast.', [
    LogEntry,
    object('DroppedRequests', 'Requests that came too fast for their reader.', { Dropped: count('How many.') }),
  ]),
  async run(server, wish) {
    const journal = journalOf(server);
    const { followEntries } = await import('../../insight/journal/follow-entries.js');
    return followEntries(journal, wish);
  },
  lines: (line) => ['Dropped' in line ? `${line.Dropped} requests came too fast and are not shown` : requestLine(line)],
});
