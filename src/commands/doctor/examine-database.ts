import type { DatabaseConfig } from '../../settings/config.js';
import { StoreError } from '../../store/store-error.js';
import type { Finding } from './finding.js';

/** Largest difference of the two clocks that is not a problem. Unit: milliseconds. */
const toleranceMs = 60_000;

/**
 * Checks that the database can be reached and used by this version, what its settings promise, and its clock. Changes
 * nothing. `now` is in milliseconds since 1970.
 */
export async function examineDatabase(database: DatabaseConfig, now: number): Promise<readonly Finding[]> {
  const about = 'database';
  const { examineDatabase: examine } = await import('../../store/postgres/schema/examine-database.js');
  const examination = await examine(database).catch((error: unknown) => {
    if (error instanceof StoreError) return error;
    throw error;
  });
  if (examination instanceof StoreError) {
    return [{ about, found: examination.fault, remedy: examination.remedy }];
  }
  const { found, replication, faults } = examination;
  return [
    { about, found },
    { about, found: replication },
    ...faults.map(({ fault, remedy }) => ({ about, found: fault, remedy })),
    examineDatabaseClock(examination.now - now),
  ];
}

/** Returns the finding about the clocks. `aheadMs` tells how far the database's clock is ahead of this machine's. */
function examineDatabaseClock(aheadMs: number): Finding {
  const about = 'database clock';
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (Math.abs(aheadMs) <= toleranceMs) return { about, found: 'it agrees with the clock of this machine' };
  return {
    about,
    found: `it is ${seconds} s ${aheadMs > 0 ? 'later' : 'earlier'} than the clock of this machine`,
    remedy: 'Set the clocks. Timestamps are those of the database, and signatures expire by the clock of this machine.',
  };
}
