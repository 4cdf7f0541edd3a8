import type { Counted, SharedRule, SharedRules } from '../store/shared-rules.js';
import type { Eventual } from '../store/store.js';
import type { DecideChange, KeptRule, NewRule, RuleKeeper } from './rule-keeper.js';

/**
 * How long a rule lasts that names a number of requests and no time. Unit: milliseconds. Ours: a server can stop before they
 * come, and the database stays.
 */
const longestMs = 60 * 60 * 1000;

/** The part of a rule that does not change, as its text. */
type WrittenRule = Pick<NewRule, 'id' | 'rule' | 'seed'>;

/** Fault rules in a database, for all servers on it. They stay when a server ends, and end by the clock of the database. */
export class DatabaseRules implements RuleKeeper {
  readonly #shared: SharedRules;

  constructor(shared: SharedRules) {
    this.#shared = shared;
  }

  get rules(): readonly KeptRule[] {
    return this.#shared.rules.map(keptRule);
  }

  get isBehind(): boolean {
    return this.#shared.isBehind;
  }

  follow(listener: () => void): void {
    this.#shared.follow(listener);
  }

  catchUp(): Promise<void> {
    return this.#shared.catchUp();
  }

  async list(): Promise<readonly KeptRule[]> {
    return (await this.#shared.list()).map(keptRule);
  }

  async change(decide: DecideChange): Promise<readonly KeptRule[]> {
    let refused: { readonly error: unknown } | undefined;
    const added = await this.#shared.change((present) => {
      refused = undefined;
      try {
        const change = decide(present.map(keptRule));
        return { removed: change.removed, added: change.added.map(writtenRule) };
      } catch (error) {
        refused = { error };
        return undefined;
      }
    });
    if (refused) throw refused.error;
    return added.map(keptRule);
  }

  count(number: number, what: Counted): Eventual<number | undefined> {
    return this.#shared.count(number, what);
  }
}

function writtenRule({ lastsMs, ...written }: NewRule) {
  const text: WrittenRule = written;
  return { text: JSON.stringify(text), times: written.rule.times, lastsMs: lastsMs ?? longestMs };
}

function keptRule({ text, ...state }: SharedRule): KeptRule {
  return { ...(JSON.parse(text) as WrittenRule), ...state };
}
