import { type Rules, shownSeconds, shownShare } from '../rule.js';
import { thresholds as t } from '../thresholds.js';

/** The rules about reads and writes of single entities. */
export const entityRules = {
  R8: {
    title: 'Entities of a partition are read one after the other',
    finds: `${t.pointReads} such reads on one connection within ${shownSeconds(t.pointReadsMs)}; warn if a range has at most ${t.pointReadsSpread} entities for each, otherwise info`,
    advice: 'If their keys are neighbors, read them with one range query. Otherwise read them in parallel.',
    chapter: 'Compound key pattern',
  },
  R15: {
    title: 'An entity is read before it is written without its ETag',
    finds: `${t.readsBeforeWrite} times in a table, each within ${shownSeconds(t.readBeforeWriteMs)}; inserts do not count`,
    advice:
      'Write at once with Insert Or Merge or Insert Or Replace. If the write depends on what was read, send the ETag in If-Match.',
    chapter: 'Managing concurrency',
  },
  R16: {
    title: 'An entity or transaction is near a limit of the service',
    finds: `${shownShare(t.nearLimit)} of 1 MiB for an entity, 252 properties, 64 KiB for a value, 1 KiB for a key; info for 4 MiB of a transaction`,
    advice: 'Split the entity into several, or keep the large value in a blob.',
    chapter: 'Wide entities pattern',
  },
  R18: {
    title: 'Many writes meet an entity that was changed meanwhile',
    finds: `${shownShare(t.contentionShare)} of ${t.contentionWrites} writes to a table with an ETag`,
    advice:
      'Split the entity, so that fewer clients write to the same one, or write one series of values into one entity.',
    chapter: 'Data series pattern',
  },
  R20: {
    title: 'A failed request is sent again too soon',
    finds: `a retry less than ${shownSeconds(t.retryMs)} after 500 or 503, or ${t.sameRetryPauses} equal pauses`,
    advice: 'Wait longer before each further retry, as the SDKs do by default.',
  },
  R25: {
    title: 'The same entity is read again and again',
    finds: `${t.samePointReads} times in ${shownSeconds(t.samePointMs)}`,
    advice: 'Keep it in the client for a while.',
    chapter: 'Join in the client',
  },
} as const satisfies Rules;
