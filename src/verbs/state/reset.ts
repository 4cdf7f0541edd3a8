import { name, optional, text } from '../../schema.js';
import { ResetReport } from '../../state/contract.js';
import { account, table } from '../fields.js';
import { counted, undoHint } from '../lines.js';
import { verb } from '../verb.js';

export const reset = verb({
  name: 'reset',
  does: 'Reset all data, or part of it, to the snapshot seed or to empty.',
  http: 'POST /reset',
  changes: 'data',
  example: 'reset --table Orders',
  takes: {
    account: account('Only this account. Branches are reset only by their name.'),
    table: optional(table('Only this table. It stays and ends up empty.')),
    tablePrefix: optional(name('Only tables whose names begin with this, in any case.', { value: 'TEXT' })),
    // An entity may have an empty PartitionKey.
    partition: optional(text('Only this partition of the table.', { value: 'KEY' })),
    to: optional(name('`empty` or a snapshot (default: `seed` if it exists, else `empty`).', { value: 'STATE' })),
  },
  answers: ResetReport,
  run: ({ state }, asked) => state.reset(asked),
  lines({ tables, entities, undo }, _asked, server) {
    const done =
      entities === undefined
        ? `${counted(tables, 'table')} reset`
        : `${counted(entities, 'entity', 'entities')} deleted`;
    return [`${done}${undoHint(entities ?? tables, undo, server)}`];
  },
});
