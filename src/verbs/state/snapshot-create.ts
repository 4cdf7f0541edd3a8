import { SnapshotSummary } from '../../state/contract.js';
import { account, snapshotName } from '../fields.js';
import { verb } from '../verb.js';
import { snapshotLine } from './snapshot-line.js';

export const snapshotCreate = verb({
  name: 'snapshot create',
  does: 'Take a snapshot of all accounts, or of one; replaces one of the same name.',
  http: 'PUT /snapshots/{name}',
  changes: 'data',
  example: 'snapshot create base',
  takes: { name: snapshotName, account: account('Only this account.') },
  words: ['name'],
  answers: SnapshotSummary,
  run: ({ state }, { name, account }) => state.takeSnapshot(name, account === undefined ? undefined : [account]),
  lines: (summary) => [snapshotLine(summary)],
});
