import { name, optional } from '../../schema.js';
import { UndoReport } from '../../state/contract.js';
import { counted, keyWords } from '../lines.js';
import { verb } from '../verb.js';

export const undo = verb({
  name: 'undo',
  does: 'Undo a reset, an import, a restore or a deletion of the last ten minutes.',
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
    const rows = entities === 0 ? [] : [counted(entities, 'entity', 'entities')];
    const restored = tables === 0 && entities > 0 ? rows : [counted(tables, 'table'), ...rows];
    return [
      `undone: ${what}; ${restored.join(' and ')} restored`,
      ...leftOut.map(
        ({ account, table, partitionKey, rowKey, why }) =>
          `left out ${account}/${table}${keyWords(partitionKey, rowKey)}: ${why}`,
      ),
      ...(more > 0 ? [`and ${more} more`] : []),
    ];
  },
});
