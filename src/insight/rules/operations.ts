import { type Rule, shownSeconds, shownShare } from './rule.js';
import { thresholds as t } from './thresholds.js';

/** The rules about reads and writes of single entities, and about transactions. */
export const operationRules = {
  'n+1/sequence': {
    title: 'Entities of a partition are read one after the other',
    finds: `${t.pointReads} such reads on one connection within ${shownSeconds(t.pointReadsMs)}; warn if a query has just returned at most ${t.pointReadsSpread} times as many entities of the partition, otherwise info`,
    costs: 'Each read is a request that waits for the previous one.',
    advice: 'If their keys are neighbors, read them with one range query. Otherwise read them in parallel.',
    chapter: 'Compound key pattern',
  },
  'read-before-write': {
    title: 'An entity is read before it is written without its ETag',
    finds: `${t.readsBeforeWrite} times in a table, each within ${shownSeconds(t.readBeforeWriteMs)}; inserts do not count; info, or warn from ${t.readsBeforeWriteWarn}`,
    costs: 'There are twice as many requests, and a change that another client makes in between is lost.',
    advice:
      'Write at once with Insert Or Merge or Insert Or Replace. If the write depends on what was read, send the ETag in If-Match.',
    chapter: 'Managing concurrency',
  },
  contention: {
    title: 'Many writes conflict with another change',
    finds: `${shownShare(t.contentionShare)} of ${t.contentionWrites} writes to a table with an ETag; warn`,
    costs: 'Each rejected write is retried, after another read.',
    advice:
      'Split the entity, so that fewer clients write to the same one, or write one series of values into one entity.',
    chapter: 'Data series pattern',
  },
  'hasty-retry': {
    title: 'A failed request is retried too soon',
    finds: `a retry less than ${shownSeconds(t.retryMs)} after 500 or 503, or ${t.sameRetryPauses} equal pauses; warn`,
    costs: 'A service that is busy gets busier.',
    advice: 'Back off exponentially, as the SDKs do by default.',
  },
  'single-writes/deletes': {
    title: 'Entities are deleted one by one',
    finds: `${t.singleDeletes} single deletions in a partition within ${shownSeconds(t.singleDeletesMs)}; warn`,
    costs: 'Each deletion is a request. 100 in one transaction are one.',
    advice:
      'Delete up to 100 entities of a partition in one transaction. If they expire together, keep a table for each period and delete the table.',
    chapter: 'High volume delete pattern',
  },
  'single-writes/writes': {
    title: 'Writes could be one transaction',
    finds: `${t.singleWrites} single writes to a partition on one connection, one after the other, within ${shownSeconds(t.singleWritesMs)}; Insert Or Replace and Insert Or Merge do not count; info`,
    costs: 'Each write is a request. 100 in one transaction are one.',
    advice: 'Send up to 100 writes to a partition in one transaction. It costs as much as one write.',
    chapter: 'Entity group transactions',
  },
} as const satisfies Record<string, Rule>;
