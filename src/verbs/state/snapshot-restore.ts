import { RestoreReport } from '../../state/contract.js';
import { account, snapshotName } from '../fields.js';
import { counted, undoHint } from '../lines.js';
import { verb } from '../verb.js';

export const snapshotRestore = verb({
  name: 'snapshot restore',
  does: 'Restore the accounts of a snapshot, or one of them.',
  http: 'POST /snapshots/{name}/restore',
  changes: 'data',
  example: 'snapshot restore base',
  takes: { name: snapshotName, account: account('Only this account.') },
  words: ['name'],
  answers: RestoreReport,
  run: ({ state }, { name, account }) => state.restoreSnapshot(name, account),
  lines: ({ tables, undo }, _asked, server) => [
    `${counted(tables, 'table')} restored${undoHint(tables, undo, server)}`,
  ],
});
