import type { Accounts } from '../auth/accounts.js';
import type { DialectName } from '../protocol/access/accounts.js';
import { pointOperations } from '../protocol/operation-names.js';
import type { RequestObserver } from '../service/observe.js';
import type { RequestIds } from '../service/service.js';
import type { Store } from '../store/store.js';
import { Coach } from './coach/coach.js';
import { type CostsOf, feedCoach } from './coach/feed-coach.js';
import { Explainer } from './explainer.js';
import { Journal } from './journal/journal.js';
import { costModels } from './queries/cost-model.js';

/** What a journal follows, and how much of it. */
export interface JournalOptions {
  /** How many requests it keeps. */
  readonly capacity: number;
  /** Whether the coach sees all requests, also under load. */
  readonly coachesAll: boolean;
  /** Whether other servers write to the same store. */
  readonly isShared: boolean;
  readonly accounts: Accounts;
  readonly store: Store;
  /** Milliseconds since 1970, for the age of signatures. */
  readonly now: () => number;
  /** The same for Shared Key requests, which no test clock moves. */
  readonly realNow: () => number;
  /** Returns the dialect of an account. */
  readonly dialectOf: (account: string | undefined) => DialectName;
  /** The ids of the requests of the server. */
  readonly ids: RequestIds;
}

/** A journal with all that hangs on it. */
export interface OpenJournal {
  readonly journal: Journal;
  readonly coach: Coach;
  readonly explainer: Explainer;
  /** Gets every request of the service. */
  readonly observe: RequestObserver;
}

/** Opens a journal. It follows the store from now on, and the requests that `observe` gets. */
export function openJournal(options: JournalOptions): OpenJournal {
  const { capacity, coachesAll, isShared, accounts, store, now, realNow, dialectOf, ids } = options;
  const costsOf: CostsOf = (account) => costModels[dialectOf(account)];
  const journal = new Journal(capacity, Date.now, costsOf, ids);
  store.onCommit((transaction) => journal.observeCommit(transaction), 'new');
  const coach = new Coach();
  // Asked for once for each request: it takes as long as the rest of keeping it.
  let at = Date.now();
  const endedAt = () => at;
  const originOf = (account: string) => accounts.find(account)?.origin;
  const tellCoach = feedCoach(coach, () => journal.currentMark, endedAt, costsOf, originOf);
  const observeCoached = coachesAll ? tellCoach : boundCoaching(coach, tellCoach, endedAt);
  return {
    journal,
    coach,
    explainer: new Explainer({ accounts, now, realNow, store, changes: journal.changes, costsOf, isShared }),
    observe(record) {
      at = Date.now();
      journal.observe(record, at);
      observeCoached(record);
    },
  };
}

/** How many cheap requests in a row the coach sees without a gap. (Our choice: a whole test suite.) */
export const requestsInRow = 10_000;

/**
 * How many requests a second it sees after that. (Our choice: no cache of the processor has what the coach rarely needs, so one takes
 * some ten microseconds, and 100 a second take a thousandth of the processor.)
 */
export const requestsPerSecond = 100;

/**
 * Returns an observer that tells a coach of some of the reads and writes of single entities when there are many, so that
 * advice does not slow a loaded server down. The coach counts the others in `skipped`. It is told of every query, batch and
 * rejection, so a budget misses none. `observe` tells it of one request; `now` is in milliseconds since 1970.
 */
export function boundCoaching(coach: Coach, observe: RequestObserver, now: () => number): RequestObserver {
  let left = requestsInRow;
  let filled = now();
  return (record) => {
    // Point operations are quick, so the coach's part in them counts.
    if (record.status >= 400 || !pointOperations.has(record.operation)) {
      observe(record);
      return;
    }
    const at = left < 1 ? now() : filled;
    if (at !== filled) {
      left = Math.min(requestsInRow, left + (Math.max(0, at - filled) * requestsPerSecond) / 1000);
      filled = at;
    }
    if (left < 1) {
      coach.skipped++;
      return;
    }
    left--;
    observe(record);
  };
}
