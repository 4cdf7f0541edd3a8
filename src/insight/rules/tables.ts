import { shownNumber as n, type Rule, shownSeconds, shownShare } from './rule.js';
import { thresholds as t } from './thresholds.js';

const oneServer = 'One server handles each partition; it accepts 2,000 entities a second and rejects the rest.';

/** The rules about whole tables: their keys, their growth, their names. */
export const tableRules = {
  'hot-partition/one-partition': {
    title: 'One partition gets most of the work',
    finds: `${shownShare(t.hotShare)} of ${n(t.hotWrites)} writes to one of several partitions; warn; info for ${n(t.onePartitionWrites)} writes to a table with one partition`,
    costs: oneServer,
    advice: 'Choose a PartitionKey that spreads the writes over many partitions.',
    chapter: 'Choose an appropriate PartitionKey',
  },
  'table-churn/name-reuse': {
    title: 'The name of a deleted table is reused immediately',
    finds: `a creation within ${shownSeconds(t.nameReuseMs)} after the deletion; info, because tests do it on purpose`,
    costs: 'Azure rejects the name for a while.',
    advice: 'Use a new name, or delete the entities instead.',
    chapter: 'High volume delete pattern',
  },
  'table-churn/create-again': {
    title: 'A table is created again and again',
    finds: `${t.refusedCreations} rejected creations of one table in ${shownSeconds(t.refusedCreationsMs)}, under one mark if tests set marks; info`,
    costs: 'Each creation is a rejected request.',
    advice: 'Create it once, when the program starts.',
  },
} as const satisfies Record<string, Rule>;
