import { type Rules, shownNumber, shownSeconds } from '../rule.js';
import { thresholds as t } from '../thresholds.js';

/** The rules about writes that belong together. */
export const transactionRules = {
  R13: {
    title: 'Entities are deleted one by one',
    finds: `${t.singleDeletes} single deletions in a partition within ${shownSeconds(t.singleDeletesMs)}; info for ${shownNumber(t.scannedDeletes)} deletions in a table that is also scanned`,
    advice:
      'Delete up to 100 entities of a partition in one transaction. If they expire together, keep a table for each period and delete the table.',
    chapter: 'High volume delete pattern',
  },
  R14: {
    title: 'Writes could be one transaction',
    finds: `${t.singleWrites} single writes to a partition on one connection, one after the other, within ${shownSeconds(t.singleWritesMs)}; Insert Or Replace and Insert Or Merge do not count`,
    advice: 'Send up to 100 writes to a partition in one transaction. It costs as much as one write.',
    chapter: 'Entity group transactions',
  },
} as const satisfies Rules;
