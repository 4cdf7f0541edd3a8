import type { Eventual } from './store.js';

/** What a rule counts: a request that meets its conditions, or one that gets the fault. */
export type Counted = 'match' | 'hit';

/** What is known about a rule that is kept, at one moment. */
export interface RuleState {
  /** Stands for this rule alone: one that is added later has a greater number. */
  readonly number: number;
  /** How many requests met its conditions. */
  readonly matched: number;
  /** How many of them got the fault. */
  readonly hits: number;
  /** When it ends, by the clock of its keeper. Unit: milliseconds since 1970. Undefined: not by time. */
  readonly endsAt: number | undefined;
  /** How long it still lasts. Unit: milliseconds, `Infinity` if it does not end by time. */
  readonly remainingMs: number;
  readonly ended: boolean;
}

/** Rules of which the latest changes are known. */
export interface FollowedRules<Rule extends RuleState> {
  /** All rules in the order in which they were added, with the ended ones. Their counts may be old. */
  readonly rules: readonly Rule[];
  /** Whether other servers may have changed the rules without this one knowing. Then `catchUp` must be called before a request. */
  readonly isBehind: boolean;
  /** Calls `listener` after `rules` or `isBehind` has changed, from now on. */
  follow(listener: () => void): void;
  /** Resolves when `rules` has every change that was made before the call. Errors: StoreUnavailable. */
  catchUp(): Promise<void>;
  /** Returns all rules as they are now. Errors: StoreUnavailable. */
  list(): Promise<readonly Rule[]>;
  /**
   * Counts a request for a rule. Returns how many were counted before it, or undefined if the rule has ended: then nothing
   * is counted. Errors: StoreUnavailable; the request may then be counted.
   */
  count(number: number, what: Counted): Eventual<number | undefined>;
}

/** A rule for all servers on one database. The store does not read its text. */
export interface SharedRule extends RuleState {
  readonly text: string;
}

/** A rule that is to be kept for all servers. */
export interface NewSharedRule {
  readonly text: string;
  /** How many requests may get the fault; undefined: any number. */
  readonly times: number | undefined;
  /** How long it lasts at most. Unit: milliseconds. */
  readonly lastsMs: number;
}

/** Rules that go, by their numbers, and rules that come. */
export interface SharedRuleChange {
  readonly removed: readonly number[];
  readonly added: readonly NewSharedRule[];
}

/** Keeps the fault rules of all servers on one database. They end by the clock of the database, and their counts are shared. */
export interface SharedRules extends FollowedRules<SharedRule> {
  /**
   * Changes the rules at one moment. `decide` gets all of them, and returns undefined to change nothing; it may be called
   * again. Returns the rules that were added, when all servers that can be reached apply the change, or after five seconds.
   * Errors: StoreUnavailable.
   */
  change(decide: (present: readonly SharedRule[]) => SharedRuleChange | undefined): Promise<readonly SharedRule[]>;
}
