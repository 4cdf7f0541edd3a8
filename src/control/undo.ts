import type { State } from '../state/state.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerJson, type ControlRow } from './control-row.js';
import { explaining } from './explain-state-fault.js';
import { readFields } from './read-fields.js';

const undo = `${controlRoot}/undo`;

/** Returns the rows that give back what other calls have removed. */
export function undoRows(state: State): readonly ControlRow[] {
  return [
    {
      method: 'GET',
      path: undo,
      purpose: 'the calls of the last ten minutes that can be undone',
      run: explaining(async () => answerJson(200, { undo: await state.undos.list() })),
    },
    {
      method: 'POST',
      path: undo,
      purpose: 'gives back what the newest call has removed',
      takes: 'json',
      run: explaining(async ({ body }) => {
        readFields(body, {});
        return answerJson(200, await state.undo());
      }),
    },
    {
      method: 'POST',
      path: `${undo}/*`,
      purpose: 'gives back what the call with this id has removed',
      takes: 'json',
      run: explaining(async ({ path, body }) => {
        readFields(body, {});
        return answerJson(200, await state.undo(path.slice(undo.length + 1)));
      }),
    },
  ];
}
