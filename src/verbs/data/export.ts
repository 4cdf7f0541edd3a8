import { choice, list, name, optional, text } from '../../schema.js';
import { type TransferFormat, transferFormats } from '../../transfer/contract.js';
import { account, table } from '../fields.js';
import { fileVerb } from '../verb.js';

/** The media type of each format. */
const typeOf: Readonly<Record<TransferFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

export const exportData = fileVerb({
  name: 'export',
  does: 'Export data as of one moment.',
  notes:
    'The command writes to a PATH: a file, whose ending tells the format, or a folder, which gets a file for each table. An export that fails leaves an older one as it was.',
  http: 'GET /export',
  changes: 'nothing',
  example: 'export people.csv --table People',
  takes: {
    account: account('Only this account.'),
    table: optional(table('Only this table.')),
    format: optional(
      choice('The format (default: that of the file, or ndjson).', transferFormats, { value: 'FORMAT' }),
    ),
    filter: optional(name('Only the entities that this $filter finds.', { value: 'FILTER', example: 'Size gt 1' })),
    select: optional(list('Only these properties.', name('A property.'), { value: 'NAMES', example: 'Name,Size' })),
  },
  sends: 'file',
  types: Object.values(typeOf),
  answers: text('The data.'),
  async run({ openTransfer }, { format = 'ndjson', ...wish }) {
    return { contentType: typeOf[format], body: await (await openTransfer()).export({ ...wish, format }) };
  },
});
