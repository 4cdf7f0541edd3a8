import { name, optional } from '../../schema.js';
import { UndoReport } from '../../state/contract.js';
import { counted, undoHint } from '../lines.js';
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
  lines: ({ what, tables, undo }, _asked, server) => [
    `undone: ${what}; ${counted(tables, 'table')} as before it, without later writes${undoHint(1, undo, server)}`,
  ],
});
