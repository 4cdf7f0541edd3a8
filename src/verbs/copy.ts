import { randomBytes } from 'node:crypto';
import { choice, list, name, number, optional } from '../schema.js';
import { importModes } from '../transfer/contract.js';
import { account } from './fields.js';
import { importInLines, importLines } from './transfer.js';
import { linesVerb, RejectedCall } from './verb.js';

export const copyAccount = linesVerb({
  name: 'copy',
  does: 'Copy the tables of another account into this server.',
  notes:
    'Reads them as they are at the moment, and imports them with the rules of import. The connection string is neither logged nor kept. The command copy copies between any two ends, continues after an interruption, and verifies.',
  http: 'POST /copy',
  changes: 'data',
  isForPage: true,
  example: 'copy',
  takes: {
    from: name('A connection string with a key or a signature, or a signed URL.', { value: 'SOURCE' }),
    tables: optional(list('Only these tables; `*` stands for any part of a name.', name('A name.'))),
    filter: optional(name('Only the entities that this $filter finds.', { value: 'FILTER' })),
    mask: optional(
      list('Other values of the same form for these properties; `TABLE.NAME` for one table.', name('A name.')),
    ),
    sample: optional(number('Share of the partitions.', 0, 1)),
    mode: optional(choice('How to import entities that exist (default: insert).', importModes, { value: 'MODE' })),
    account: account('The account that gets them (default: the first one).'),
  },
  sends: 'lines',
  answers: importLines,
  async run({ openTransfer }, { from, tables = [], filter, mask = [], sample = 1, ...wish }, { gone }) {
    const { streamAccount } = await import('../copy/account-stream.js');
    const source = { from, tables, filter, mask, sample, maskKey: randomBytes(16).toString('hex') };
    try {
      const bytes = streamAccount(source, gone);
      return importInLines(await openTransfer(), { format: 'ndjson', open: () => bytes }, wish);
    } catch (error) {
      throw new RejectedCall(400, (error as Error).message);
    }
  },
  lines: (line) => [JSON.stringify(line)],
});
