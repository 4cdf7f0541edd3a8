import { text } from '../../schema.js';
import { fileVerb, journalOf } from '../verb.js';
import { boundFields, requestFields } from './request-fields.js';

export const requestExport = fileVerb({
  name: 'request export',
  does: 'Export the last requests as an HTTP Archive, for browsers and proxies.',
  http: 'GET /requests/export',
  changes: 'nothing',
  example: 'request export requests.har --status 4xx',
  takes: { ...requestFields, ...boundFields },
  sends: 'file',
  types: ['application/json; charset=utf-8'],
  answers: text('An HTTP Archive 1.2.'),
  async run(server, wish) {
    const journal = journalOf(server);
    const { writeHar } = await import('../../insight/journal/write-har.js');
    const body = writeHar(journal, wish, server.info.version);
    return { contentType: 'application/json; charset=utf-8', body, name: 'tabularium.har' };
  },
});
