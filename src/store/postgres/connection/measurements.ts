import type { Measurement } from '../../store.js';
import type { LaneCounts } from '../write/commit-lane.js';
import type { WriterCounts } from '../write/receipt-writer.js';
import { type ConnectionCounts, newConnectionCounts } from './connection.js';

/** Everything that a store on PostgreSQL counts. */
export type StoreCounts = ConnectionCounts & WriterCounts & LaneCounts;

/** Returns counters at zero. */
export function newCounts(): StoreCounts {
  return {
    ...newConnectionCounts(),
    made: 0,
    notMade: 0,
    conflicts: 0,
    groups: 0,
    commits: 0,
    waitedMs: 0,
  };
}

/** Returns the measurements of a store. `waiting` is the number of changes that wait. */
export function measurements(counts: StoreCounts, waiting: number): readonly Measurement[] {
  const counter = (name: string, help: string, value: number): Measurement => ({ name, help, kind: 'counter', value });
  return [
    counter('groups_total', 'Groups of commits that were written or refused together', counts.groups),
    counter('commits_total', 'Commits in these groups', counts.commits),
    counter('commit_wait_seconds_total', 'How long commits waited for their group', counts.waitedMs / 1000),
    counter('conflicts_total', 'Groups that were judged again because another server was first', counts.conflicts),
    counter(
      'lost_writes_made_total',
      'Writes whose connection was lost, and whose receipt says they were made',
      counts.made,
    ),
    counter('lost_writes_not_made_total', 'Writes whose connection was lost before they were made', counts.notMade),
    counter('connections_opened_total', 'Connections to the database that were opened', counts.opened),
    counter('connections_lost_total', 'Connections to the database that were lost', counts.lost),
    { name: 'changes_waiting', help: 'Changes that wait for their group', kind: 'gauge', value: waiting },
  ];
}
