import { list, object } from '../../schema.js';
import { SnapshotSummary } from '../../state/contract.js';
import { verb } from '../verb.js';
import { snapshotLine } from './snapshot-line.js';

export const snapshotList = verb({
  name: 'snapshot list',
  does: 'List the snapshots by name, with their accounts.',
  http: 'GET /snapshots',
  changes: 'nothing',
  example: 'snapshots',
  takes: {},
  answers: object('SnapshotList', 'All snapshots.', { snapshots: list('The snapshots, by name.', SnapshotSummary) }),
  lists: 'snapshots',
  run: async ({ state }) => ({ snapshots: await state.listSnapshots() }),
  lines: ({ snapshots }) => snapshots.map(snapshotLine),
});
