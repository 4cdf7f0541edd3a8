import { name, optional } from '../../schema.js';
import { DeletionReport } from '../../state/contract.js';
import { account, table } from '../fields.js';
import { counted, undoHint } from '../lines.js';
import { verb } from '../verb.js';

export const entityDelete = verb({
  name: 'entity delete',
  does: 'Delete the entities of a table that match a filter.',
  http: 'POST /entities/delete',
  changes: 'data',
  example: `entity delete Orders "PartitionKey eq '2026'"`,
  takes: {
    table: table('The table.'),
    filter: name('The $filter. To empty a table, use reset.', { value: 'FILTER', example: "PartitionKey eq 'p'" }),
    account: account('The account of the table (default: the first one).'),
    undo: optional(
      name('Undo ID of an earlier part of the same deletion, which then covers this part, too.', {
        value: 'ID',
        example: 'undo-1',
      }),
    ),
  },
  words: ['table', 'filter'],
  answers: DeletionReport,
  run: ({ state }, asked) => state.deleteEntities(asked),
  lines: ({ entities, undo }, _asked, server) => [
    `${counted(entities, 'entity', 'entities')} deleted${undoHint(entities, undo, server)}`,
  ],
});
