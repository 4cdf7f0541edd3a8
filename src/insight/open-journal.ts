import type { Accounts } from '../auth/accounts.js';
import type { DialectName } from '../protocol/access/accounts.js';
import type { RequestObserver } from '../service/observe.js';
import type { RequestIds } from '../service/service.js';
import type { Store } from '../store/store.js';
import { boundCoaching } from './bound-coaching.js';
import { Coach } from './coach.js';
import { Explainer } from './explainer.js';
import { type CostsOf, feedCoach } from './feed-coach.js';
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
