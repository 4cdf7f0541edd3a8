import { Done, snapshotName } from '../fields.js';
import { verb } from '../verb.js';

export const snapshotDelete = verb({
  name: 'snapshot delete',
  does: 'Delete a snapshot.',
  http: 'DELETE /snapshots/{name}',
  changes: 'data',
  example: 'snapshot delete base',
  takes: { name: snapshotName },
  words: ['name'],
  answers: Done,
  async run({ state }, { name }) {
    await state.deleteSnapshot(name);
    return {};
  },
  lines: () => ['deleted'],
});
