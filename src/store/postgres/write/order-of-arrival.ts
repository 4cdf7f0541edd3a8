import type { TableSelection } from '../../stored-parts.js';

/** A fair lock: shared and exclusive operations pass in order of arrival. */
class Gate {
  #sharing = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly go: () => void }[] = [];

  get isIdle(): boolean {
    return this.#sharing === 0 && !this.#isAlone && this.#waiting.length === 0;
  }

  /** Returns undefined if the operation may pass immediately. */
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

/** The scope of an operation's lock. */
export type Reach =
  /** A table, which commits share. */
  | { readonly account: string; readonly name: string; readonly alone: boolean }
  /** A whole account. */
  | { readonly account: string };

/** Returns the scope of an operation on a snapshot. */
export function reachOfSnapshot({ kind, id }: { readonly kind: string; readonly id: string }): Reach {
  // No account has a space in its name.
  return { account: `${kind} ${id}` };
}

/** A whole account, or some of its tables, by account and key of the name. */
interface AccountReach {
  readonly account: string;
  readonly concerns?: TableSelection | undefined;
}

/** An operation's exclusive claim on some tables of an account. */
interface Claim extends Required<AccountReach> {
  readonly concerns: TableSelection;
  /** The gates that it queues at. */
  readonly keys: Set<string>;
}

/** Whether a gate belongs to a claimed table. Then the claim must queue there. */
function claims({ account, concerns, keys }: Claim, key: string): boolean {
  if (!key.startsWith(`${account}/`) || !concerns(account, key.slice(account.length + 1))) return false;
  keys.add(key);
  return true;
}

/** A gate for an operation to pass, by its key. */
interface Step {
  readonly key: string;
  readonly alone: boolean;
}

/** Keeps the writes of one server in order of arrival: a drop runs after earlier commits, and rejects later ones. */
export class OrderOfArrival {
  readonly #gates = new Map<string, Gate>();
  /** In order of arrival. */
  readonly #claims = new Set<Claim>();

  /** Runs an operation in its turn. It is in the queue before this returns. */
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
   * Queues an operation with exclusive use of all or some tables of several accounts, until `leave` is called. It is in the queue before
   * this returns, in all accounts at once and then in all tables at once, so two such operations never deadlock.
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
    // Without waits, claims before later calls can pass.
    return { entered: waits.length === 0 ? claim() : Promise.all(waits).then(claim), leave };
  }

  /** Queues at the tables in use. Other tables are claimed on their first use. */
  #claim(claim: Claim): readonly Promise<void>[] {
    this.#claims.add(claim);
    return [...this.#gates].flatMap(([key, gate]) => (claims(claim, key) ? (gate.enter(true) ?? []) : []));
  }

  /** Runs an operation after it has passed its gates, one after another. */
  async #pass<T>(steps: readonly Step[], work: () => Promise<T>): Promise<T> {
    for (const { key, alone } of steps) {
      // Looked up as late as possible, because idle gates are removed. Nearly every write passes without an await.
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
    // A new gate lets a claim pass immediately.
    for (const claim of this.#claims) if (claims(claim, key)) void gate.enter(true);
    return gate;
  }

  /** Leaves a gate, which still exists because it was not idle. */
  #leave(key: string, alone: boolean): void {
    const gate = this.#gateOf(key);
    gate.leave(alone);
    if (gate.isIdle) this.#gates.delete(key);
  }
}
