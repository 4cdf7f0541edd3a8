import { list, object } from '../../schema.js';
import { UndoSummary } from '../../state/contract.js';
import { verb } from '../verb.js';

export const undoList = verb({
  name: 'undo list',
  does: 'List the calls of the last ten minutes that can be undone, newest last.',
  http: 'GET /undo',
  changes: 'nothing',
  example: 'undo list',
  takes: {},
  answers: object('UndoList', 'What can be undone.', { undo: list('The calls, at most five.', UndoSummary) }),
  lists: 'undo',
  run: async ({ state }) => ({ undo: await state.undos.list() }),
  lines: ({ undo }) => undo.map(({ id, what, at, until }) => `${id} ${at} ${what}, until ${until}`),
});
