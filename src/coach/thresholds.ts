import { documentedComparisonsMax } from '../protocol/limits.js';

/**
 * The thresholds of the rules: from what number on a finding is reported. Names begin with the rule.
 *
 * The targets of the cloud are 2,000 entities a second for a partition and 5 seconds for a query.
 * Source: Table design guide, "Retrieve large numbers of entities from a query"; Scalability and performance targets for
 * Table storage.
 */
export const thresholds = {
  /** Entities read by one query from which a table scan is more than a page. */
  tableScanWarn: 1000,
  /** Entities read by one query from which a table scan takes as long as a query may. */
  tableScanSerious: 10_000,
  /** A small table may be read whole this often. Unit: times a minute. Source: Table design guide, "Join in the client". */
  lookupReadsPerMinute: 1,
  /** Entities read by a query, on average, from which its density counts. Ours: smaller partitions cost little. */
  densityReadMin: 100,
  /** Calls from which density counts. Ours: a single call may be a repair or a report. */
  densityCallsMin: 3,
  /** Share of the read entities that match, below which a partition scan wastes its work. */
  densityWarn: 0.1,
  /** The share of the example in the performance checklist: one in a hundred. */
  densitySerious: 0.01,
  /** A partition of this size may be read whole for an unequal key. Ours. */
  unequalKeyReadMax: 100,
  /** Entities for each call, bytes for each entity and bytes in all from which a projection saves. Ours. */
  projectionRows: 10,
  projectionRowBytes: 1024,
  projectionBytes: 1024 * 1024,
  /** Writes with an ETag to a table from which contention counts, and the share of them that fails. Ours. */
  contentionWrites: 20,
  contentionShare: 0.2,
  comparisonsMax: documentedComparisonsMax,
  /** Reads of the same entity within the window. Ours. */
  samePointReads: 100,
  samePointMs: 10_000,
  /** Refused creations of tables within the window. Ours. */
  refusedCreations: 20,
  refusedCreationsMs: 60_000,
} as const;
