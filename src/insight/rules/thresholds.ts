import { documentedComparisonsMax, transactionOperationsMax } from '../../protocol/limits.js';

/**
 * The thresholds of the rules: numbers from which a finding is reported. `rules.ts` uses them.
 *
 * Source: Table design guide, "Retrieve large numbers of entities from a query".
 */
export const thresholds = {
  /** Entities read by one query from which a table scan is more than a page. */
  tableScanWarn: 1000,
  /** Entities read by one query from which a table scan takes as long as a query may. */
  tableScanSerious: 10_000,
  /** Entities read by a query, on average, from which its density counts. (Our choice: smaller partitions cost little.) */
  densityReadMin: 100,
  /** Calls from which density counts. (Our choice: a single call may be a repair or a report.) */
  densityCallsMin: 3,
  /** Share of matching entities up to which a partition scan is wasteful. */
  densityWarn: 0.1,
  /** The share in the example of the performance checklist: one in a hundred. */
  densitySerious: 0.01,
  /** A partition of this size may be read whole for an unequal key. (Our choice.) */
  unequalKeyReadMax: 100,
  /** Entities for each call, bytes for each entity and bytes in all from which a projection saves. (Our choice.) */
  projectionRows: 10,
  projectionRowBytes: 1024,
  projectionBytes: 1024 * 1024,
  /** Writes with an ETag to a table from which contention counts, and the share of failures. (Our choice.) */
  contentionWrites: 20,
  contentionShare: 0.2,
  comparisonsMax: documentedComparisonsMax,
  /** Rejected creations of tables within the window. (Our choice.) */
  rejectedCreations: 20,
  rejectedCreationsMs: 60_000,
  /** Reads of single entities of one partition, one after the other, within the window. (Our choice: five would be a form.) */
  pointReads: 10,
  pointReadsMs: 2000,
  /** How many entities a query may return for each one read afterwards. (Our choice.) */
  pointReadsSpread: 2,
  /** Writes to a table from which its busiest partition counts, and the share of that partition. (Our choice.) */
  hotWrites: 200,
  hotShare: 0.8,
  /** Writes to a table with a single partition. (Our choice.) */
  onePartitionWrites: 1000,
  /** Single deletions in a partition within the window. The number is that of a transaction. */
  singleDeletes: transactionOperationsMax,
  singleDeletesMs: 10_000,
  /** Single writes to a partition, one after the other, within the window. (Our choice.) */
  singleWrites: 20,
  singleWritesMs: 1000,
  /** Reads of an entity before a write without its ETag; below, the time between them. (Our choice.) */
  readsBeforeWrite: 3,
  /** From this many, it is a habit of the program and not a test that checks its own writes. (Our choice.) */
  readsBeforeWriteWarn: 20,
  readBeforeWriteMs: 1000,
  /** How long the name of a deleted table stays reserved. Source: docs/divergences.md. */
  nameReuseMs: 40_000,
  /** Entities per page from which full metadata or Atom is large. (Our choice.) */
  fullMetadataRows: 100,
  /** How long a client may take to use a continuation token, and how many it may ignore. (Our choice.) */
  tokenMs: 10_000,
  ignoredTokens: 3,
} as const;
