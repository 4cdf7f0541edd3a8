import type { TableSelection } from '../../stored-parts.js';

/** Lets operations pass that may run side by side, and one that must be alone, in the order in which they arrive. */
class Gate {
  #sharing = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly go: () => void }[] = [];

  get isIdle(): boolean {
    return this.#sharing === 0 && !this.#isAlone && this.#waiting.length === 0;
  }

  /** Returns undefined if the operation may pass at once. */
  enter(alone: boolean): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#mayPass(alone)) {
      this.#pass(alone);
      return undefined;
    }
    return new Promise((go) => this.#waiting.push({ alone, go }));
  }

  leave(alone: boolean): void {
    if (alone) this.#isAlone = false;
    else this.#sharing--;
    for (let next = this.#waiting[0]; next && this.#mayPass(next.alone); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#pass(next.alone);
      next.go();
    }
  }

  #mayPass(alone: boolean): boolean {
    return !this.#isAlone && (!alone || this.#sharing === 0);
  }

  #pass(alone: boolean): void {
    if (alone) this.#isAlone = true;
    else this.#sharing++;
  }
}

/** What an operation needs for itself, for as long as it runs. */
export type Reach =
  /** Commits run side by side. */
  | { readonly account: string; readonly name: string; readonly alone: boolean }
  /** Everything of the account. */
  | { readonly account: string };

/** Returns what an operation on a snapshot needs for itself. */
export function reachOfSnapshot({ kind, id }: { readonly kind: string; readonly id: string }): Reach {
  // No account has a space in its name.
  return { account: `${kind} ${id}` };
}

/** All of an account, or the tables of it that are accepted by account and key of the name. */
interface AccountReach {
  readonly account: string;
  readonly concerns?: TableSelection | undefined;
}

/** What an operation needs for itself of one account, beside the other tables, of which others continue. */
interface Claim extends Required<AccountReach> {
  readonly concerns: TableSelection;
  /** The gates in which it is in line. */
  readonly keys: Set<string>;
}

/** Returns whether a gate is that of a claimed table. If so, the claim is to line up there. */
function claims({ account, concerns, keys }: Claim, key: string): boolean {
  if (!key.startsWith(`${account}/`) || !concerns(account, key.slice(account.length + 1))) return false;
  keys.add(key);
  return true;
}

/** A gate that an operation has to pass. Its key leads to it. */
interface Step {
  readonly key: string;
  readonly alone: boolean;
}

/**
 * Keeps the writes of one server in the order in which they were asked for: a drop rejects the commits that came after
 * it, and lets those pass that came before.
 */
export class OrderOfArrival {
  readonly #gates = new Map<string, Gate>();
  /** In the order of arrival. */
  readonly #claims = new Set<Claim>();

  /** Runs an operation in its turn. It is in line before this returns. */
  run<T>(reach: Reach, work: () => Promise<T>): Promise<T> {
    const steps: readonly Step[] =
      'name' in reach
        ? [
            { key: reach.account, alone: false },
            { key: `${reach.account}/${reach.name}`, alone: reach.alone },
          ]
        : [{ key: reach.account, alone: true }];
    return this.#pass(steps, work);
  }

  /**
   * Lines up an operation that needs all or some tables of several accounts for itself, until `leave` is called. It is in line before
   * this returns, in all accounts at once and then in all tables at once, so two such operations never wait for each other.
   */
  enter(reaches: readonly AccountReach[]): { readonly entered: Promise<unknown>; leave(): void } {
    const accounts = new Map(reaches.map(({ account, concerns }) => [account, concerns]));
    const claims = [...accounts].flatMap(([account, concerns]) =>
      concerns ? [{ account, concerns, keys: new Set<string>() }] : [],
    );
    const waits = [...accounts].flatMap(([account, concerns]) => this.#gateOf(account).enter(!concerns) ?? []);
    const claim = () => Promise.all(claims.flatMap((one) => this.#claim(one)));
    const leave = () => {
      for (const one of claims) {
        this.#claims.delete(one);
        for (const key of one.keys) this.#leave(key, true);
        one.keys.clear();
      }
      for (const [account, concerns] of accounts) this.#leave(account, !concerns);
      accounts.clear();
    };
    // Later calls must not pass in the meantime.
    return { entered: waits.length === 0 ? claim() : Promise.all(waits).then(claim), leave };
  }

  /** Lines up for the tables that operations use now. Others are claimed when an operation uses them. */
  #claim(claim: Claim): readonly Promise<void>[] {
    this.#claims.add(claim);
    return [...this.#gates].flatMap(([key, gate]) => (claims(claim, key) ? (gate.enter(true) ?? []) : []));
  }

  /** Runs an operation after it has passed its gates, one after another. */
  async #pass<T>(steps: readonly Step[], work: () => Promise<T>): Promise<T> {
    for (const { key, alone } of steps) {
      // An idle gate is removed, so it is looked up only now. Nearly every write passes at once, and waits for nothing.
      const wait = this.#gateOf(key).enter(alone);
      if (wait) await wait;
    }
    try {
      return await work();
    } finally {
      for (const { key, alone } of steps) this.#leave(key, alone);
    }
  }

  #gateOf(key: string): Gate {
    const known = this.#gates.get(key);
    if (known) return known;
    const gate = new Gate();
    this.#gates.set(key, gate);
    // An idle gate lets it pass at once.
    for (const claim of this.#claims) if (claims(claim, key)) void gate.enter(true);
    return gate;
  }

  /** Leaves a gate that was passed. It is still there, because it was not idle. */
  #leave(key: string, alone: boolean): void {
    const gate = this.#gateOf(key);
    gate.leave(alone);
    if (gate.isIdle) this.#gates.delete(key);
  }
}
