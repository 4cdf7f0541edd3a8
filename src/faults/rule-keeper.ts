import type { FollowedRules, RuleState } from '../store/shared-rules.js';
import type { FaultRule } from './contract.js';

/** A rule that is to be kept. */
export interface NewRule {
  readonly id: string;
  /** As it was asked for, with the defaults of its kind. */
  readonly rule: FaultRule;
  readonly seed: number;
  /** How long it lasts. Unit: milliseconds. Undefined: until it has acted `times` times, or is removed. */
  readonly lastsMs: number | undefined;
}

/** A rule that is kept, with its counts at one moment. */
export interface KeptRule extends RuleState, Pick<NewRule, 'id' | 'rule' | 'seed'> {}

/** Rules that go and rules that come, at one moment. */
export interface RuleChange {
  /** The numbers of the rules that are removed. */
  readonly removed: readonly number[];
  readonly added: readonly NewRule[];
}

/** Decides on a change of the rules that are kept now. It may be called again. Its error refuses the change. */
export type DecideChange = (present: readonly KeptRule[]) => RuleChange;

/** Where fault rules are kept, with their counts: in the memory of a server, or in a database for all of its servers. */
export interface RuleKeeper extends FollowedRules<KeptRule> {
  /** Changes the rules, for all who follow them. Returns those that were added. Errors: those of `decide`; StoreUnavailable. */
  change(decide: DecideChange): Promise<readonly KeptRule[]>;
}
