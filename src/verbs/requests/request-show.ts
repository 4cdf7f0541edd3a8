import { WrittenChange } from '../../insight/changes/written-change.js';
import { LogEntry } from '../../insight/journal/log-entry.js';
import { list, name, object, optional, text } from '../../schema.js';
import { journalOf, notInJournal, verb } from '../verb.js';
import { changeLine } from './change-line.js';
import { requestLine } from './request-line.js';

export const requestShow = verb({
  name: 'request show',
  does: 'Show a request: its changes, its bodies, if kept, and a command line that repeats it.',
  http: 'GET /requests/{id}',
  changes: 'nothing',
  example: 'request show 7c3f2f7e-0002-0015-5f1a-1e7d2d000000',
  takes: { id: name('Its x-ms-request-id or x-ms-client-request-id.', { value: 'ID', example: '7c3f2f7e' }) },
  words: ['id'],
  answers: object('ShownRequest', 'A request.', {
    request: LogEntry,
    curl: text('A command line for a POSIX shell that sends it again. `$SAS` in it stands for a signature.'),
    changes: list('The entities that it wrote, as far as they are kept.', WrittenChange),
    requestBody: optional(text('Its body, as far as it is kept and without credentials.')),
    responseBody: optional(text('The body of the response, in the same way.')),
  }),
  async run(server, { id }) {
    const journal = journalOf(server);
    const entry = journal.find(id);
    if (!entry) throw notInJournal(`no request ${id}`, journal);
    const [{ changesOf }, { writeEntry }, { writeCurl }] = await Promise.all([
      import('../../insight/changes/select-changes.js'),
      import('../../insight/journal/write-entry.js'),
      import('../../insight/journal/write-curl.js'),
    ]);
    const { request: requestBody, answer: responseBody } = journal.readBodies(entry.seq) ?? {};
    return {
      request: writeEntry(entry),
      changes: await changesOf(journal, entry.requestId),
      curl: writeCurl(entry),
      ...(requestBody !== undefined && { requestBody }),
      ...(responseBody !== undefined && { responseBody }),
    };
  },
  lines: ({ request, changes, curl, requestBody, responseBody }) => [
    requestLine(request),
    ...changes.map(changeLine),
    ...(requestBody === undefined ? [] : [requestBody]),
    ...(responseBody === undefined ? [] : [responseBody]),
    curl,
  ],
});
