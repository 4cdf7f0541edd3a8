import { count, name, optional } from '../../schema.js';
import { DiffReport } from '../../state/contract.js';
import { account, table } from '../fields.js';
import { keyWords } from '../lines.js';
import { verb } from '../verb.js';

const signs = { 'table-added': '+', 'table-removed': '-', added: '+', removed: '-', changed: '~' } as const;

export const diff = verb({
  name: 'diff',
  does: 'Compare two snapshots or accounts; the exit code is 1 if anything differs.',
  http: 'GET /diff',
  changes: 'nothing',
  example: 'diff base',
  takes: {
    from: name('The earlier state: a snapshot, or an account as it is now.', { value: 'FROM', example: 'base' }),
    to: optional(name('The later state (default: the account of FROM as it is now).', { value: 'TO' })),
    account: account('The account of snapshots of several (default: the first one).'),
    table: optional(table('Only this table.')),
    limit: optional(count('The most differences (default: 1000).', 1, 10_000)),
  },
  words: ['from', 'to'],
  answers: DiffReport,
  run: ({ state, diffs }, asked, { gone }) => diffs.take(() => state.diff(asked), gone),
  lines: ({ differences, more }) => [
    ...differences.map(
      ({ kind, table, partitionKey, rowKey }) => `${signs[kind]} ${table}${keyWords(partitionKey, rowKey)}`,
    ),
    ...(more ? ['There are more. Ask for them with --limit, or for one --table.'] : []),
  ],
  exitCode: ({ differences }) => (differences.length > 0 ? 1 : 0),
});
