import type { ClockState } from '../clock/test-clock.js';
import type { FaultRule, FaultSummary } from '../faults/contract.js';

export type { ClockState };

/**
 * The faults of an instance: rules by which requests are refused, held or cut off. Errors: an error whose message names the
 * field of a rule that cannot be used.
 */
export interface FaultCalls {
  /** Adds a rule. Returns it with its id. Without `times` and `for` it ends after 60 seconds. */
  add(rule: FaultRule): Promise<FaultSummary>;
  /** Adds a profile, as `flaky seed=7 for=10m`, or rules in words, as `tabularium fault add` takes them. Returns its rules. */
  add(text: string): Promise<readonly FaultSummary[]>;
  /** Puts these rules, or those of a text, in the place of all others. */
  replace(rules: readonly FaultRule[] | string): Promise<readonly FaultSummary[]>;
  /** Returns all rules with their hits, and the last ones that have ended. */
  list(): Promise<readonly FaultSummary[]>;
  /** Removes the rule with an id. Requests that wait for its fault go on. Errors: Error if it is missing. */
  delete(id: string): Promise<void>;
  /** Removes all rules. Requests that wait for a fault go on. */
  clear(): Promise<void>;
}

/**
 * The clock of an instance, by which it stamps entities and checks shared access signatures. It can be changed in memory only.
 * Errors: an error whose message says why it cannot.
 */
export interface ClockCalls {
  /** Returns how the clock stands. */
  state(): Promise<ClockState>;
  /** Stops the clock, where it stands or at a later instant, as `2030-01-31T12:00:00Z`. */
  freeze(at?: string | Date): Promise<ClockState>;
  /** Moves the clock forward by a length of time, as `90s`, `1h` or `7d`. */
  advance(by: string): Promise<ClockState>;
  /** Lets the clock go on, by the real time and all that it was moved forward. */
  resume(): Promise<ClockState>;
}
