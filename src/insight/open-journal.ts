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

/** The sources and the size of a journal. */
export interface JournalOptions {
  /** How many requests it retains. */
  readonly capacity: number;
  /** Whether the coach sees all requests, even under load. */
  readonly coachesAll: boolean;
  /** Whether other servers write to the same store. */
  readonly isShared: boolean;
  readonly accounts: Accounts;
  readonly store: Store;
  /** Milliseconds since 1970, for the age of signatures. */
  readonly now: () => number;
  /** The same for Shared Key requests, unaffected by test clocks. */
  readonly realNow: () => number;
  readonly dialectOf: (account: string | undefined) => DialectName;
  readonly ids: RequestIds;
}

/** A journal with its coach and explainer. */
export interface OpenJournal {
  readonly journal: Journal;
  readonly coach: Coach;
  readonly explainer: Explainer;
  /** Must receive every request of the service. */
  readonly observe: RequestObserver;
}

/** Opens a journal. It follows commits from now on, and the requests passed to `observe`. */
export function openJournal(options: JournalOptions): OpenJournal {
  const { capacity, coachesAll, isShared, accounts, store, now, realNow, dialectOf, ids } = options;
  const costsOf: CostsOf = (account) => costModels[dialectOf(account)];
  const journal = new Journal(capacity, Date.now, costsOf, ids, (account) => accounts.find(account)?.mark);
  store.onCommit((transaction) => journal.observeCommit(transaction), 'new');
  const coach = new Coach();
  // Read once per request: the clock takes as long as the rest of adding it.
  let at = Date.now();
  const endedAt = () => at;
  const originOf = (account: string) => accounts.find(account)?.origin;
  const tellCoach = feedCoach(coach, (account) => journal.markFor(account), endedAt, costsOf, originOf);
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

/** How many cheap requests the coach sees before sampling starts. (Our choice: a whole test suite.) */
export const requestsInRow = 10_000;

/**
 * How many requests per second it sees after that. (Our choice: the coach's data is in no CPU cache, so a request takes some ten
 * microseconds, and 100 per second take a thousandth of the CPU.)
 */
export const requestsPerSecond = 100;

/**
 * Returns an observer that passes only a sample of point operations to a coach under load, so that advice does not slow the server
 * down. The coach counts the others in `skipped`. It observes every query, batch and rejection, so a budget misses none.
 * `observe` feeds the coach; `now` returns milliseconds since 1970.
 */
export function boundCoaching(coach: Coach, observe: RequestObserver, now: () => number): RequestObserver {
  let left = requestsInRow;
  let filled = now();
  return (record) => {
    // Point operations are fast, so the coach's share in them matters.
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
