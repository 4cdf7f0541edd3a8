import { shownNumber as n, type Rules, shownSeconds, shownShare } from '../rule.js';
import { thresholds as t } from '../thresholds.js';

/** The rules about whole tables: their keys, their growth, their names. */
export const tableRules = {
  R9: {
    title: 'One partition gets most of the work',
    finds: `${n(t.partitionEntitiesWarn)} entities written to a partition in a second by several connections, serious from ${n(t.partitionEntitiesSerious)}; ${shownShare(t.hotShare)} of ${n(t.hotWrites)} writes to one of several partitions; info for ${n(t.onePartitionWrites)} writes to a table with one partition`,
    advice: 'Choose a PartitionKey that spreads the writes over many partitions.',
    chapter: 'Choose an appropriate PartitionKey',
  },
  R10: {
    title: 'Entities are always added at one end of the table',
    finds: `${shownShare(t.endShare)} of ${t.endInserts} inserts to the last or the first partition while that moves, with times as PartitionKeys; other keys only after ${shownSeconds(t.endMs)}`,
    advice: 'Begin the PartitionKey with the source of the entity, and put the time into the RowKey.',
    chapter: 'Prepend/append anti-pattern',
  },
  R12: {
    title: 'Numbers in RowKeys have different lengths',
    finds: `${t.unpaddedKeys} RowKeys with the same beginning that end in such numbers, in a table that is read by ranges that begin or end at a number`,
    advice: "Pad the numbers with zeros to a fixed length. '10' sorts before '9'.",
    chapter: 'Sort data in Table storage',
  },
  R19: {
    title: 'The name of a deleted table is used again at once',
    finds: `a creation within ${shownSeconds(t.nameReuseMs)} after the deletion`,
    advice: 'The cloud refuses it for a while. Use a new name, or delete the entities instead.',
    chapter: 'High volume delete pattern',
  },
  R26: {
    title: 'A table is created again and again',
    finds: `${t.refusedCreations} refused creations in ${shownSeconds(t.refusedCreationsMs)}, under one mark if tests set marks`,
    advice: 'Create it once, when the program starts.',
  },
  R27: {
    title: 'A log is kept in a table',
    finds: `R10 or R11 in a table with a time in its name or PartitionKey, after ${n(t.logInserts)} inserts without any update or deletion`,
    advice: 'Write logs to append blobs.',
    chapter: 'Log data anti-pattern',
  },
} as const satisfies Rules;
