import { name, optional } from '../../schema.js';
import { UndoReport } from '../../state/contract.js';
import { counted, keyWords } from '../lines.js';
import { verb } from '../verb.js';

export const undo = verb({
  name: 'undo',
  does: 'Restore what a call of the last ten minutes has removed: a reset, an import, a deletion.',
  http: 'POST /undo',
  changes: 'data',
  example: 'undo undo-1',
  takes: {
    id: optional(name('ID that the call printed (default: the most recent one).', { value: 'ID', example: 'undo-1' })),
  },
  words: ['id'],
  answers: UndoReport,
  run: ({ state }, { id }) => state.undo(id),
  lines({ what, tables, entities, leftOut, leftOutCount }) {
    const more = leftOutCount - leftOut.length;
    const restored = counted(entities, 'entity', 'entities');
    return [
      `undone: ${what}; ${counted(tables, 'table')} as before, ${restored} given back in others`,
      ...leftOut.map(
        ({ account, table, partitionKey, rowKey, why }) =>
          `left out ${account}/${table}${keyWords(partitionKey, rowKey)}: ${why}`,
      ),
      ...(more > 0 ? [`and ${more} more`] : []),
    ];
  },
});
