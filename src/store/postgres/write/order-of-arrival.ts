import type { TableSelection } from '../../stored-parts.js';

/** A fair lock: shared and exclusive operations pass in order of arrival. */
class Gate {
  #sharing = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly go: () => void }[] = [];

  get isIdle(): boolean {
    return this.#sharing === 0 && !this.#isAlone && this.#waiting.length === 0;
  }

  /** Whether the operation may pass immediately. Otherwise `go` is called as soon as it may, before a later operation passes. */
  enter(alone: boolean, go: () => void): boolean {
    if (this.#waiting.length === 0 && this.#mayPass(alone)) {
      this.#pass(alone);
      return true;
    }
    this.#waiting.push({ alone, go });
    return false;
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
   * Queues an operation with exclusive use of all or some tables of several accounts, until `leave` is called. It is in the queue of each
   * account before this returns, and in those of the tables when it passes the account. All operations pass in one order, so none deadlock.
   */
  enter(reaches: readonly AccountReach[]): { readonly entered: Promise<unknown>; leave(): void } {
    const accounts = new Map(reaches.map(({ account, concerns }) => [account, concerns]));
    const claims: Claim[] = [];
    const waits = [...accounts].map(([account, concerns]) =>
      this.#entered(account, !concerns, () => {
        if (!concerns) return undefined;
        const claim = { account, concerns, keys: new Set<string>() };
        claims.push(claim);
        return this.#claim(claim);
      }),
    );
    const leave = () => {
      for (const one of claims) {
        this.#claims.delete(one);
        for (const key of one.keys) this.#leave(key, true);
      }
      claims.length = 0;
      for (const [account, concerns] of accounts) this.#leave(account, !concerns);
      accounts.clear();
    };
    return { entered: Promise.all(waits), leave };
  }

  /** Queues at the tables in use, and behind the earlier claims of the account. Other tables are claimed on their first use. */
  #claim(claim: Claim): Promise<unknown> {
    this.#claims.add(claim);
    const keys = [...this.#gates.keys()].filter((key) => claims(claim, key));
    // Two claims may share a table that nobody uses, so that it has no gate. No account has a space in its name.
    const allClaims = `${claim.account} claims`;
    claim.keys.add(allClaims);
    return Promise.all([allClaims, ...keys].map((key) => this.#entered(key, true)));
  }

  /** Resolves when an operation has passed a gate. `then` runs at that moment, and before a later operation passes. */
  #entered(key: string, alone: boolean, then?: () => Promise<unknown> | undefined): Promise<unknown> {
    return new Promise<unknown>((resolve) => {
      const go = () => resolve(then?.());
      if (this.#gateOf(key).enter(alone, go)) go();
    });
  }

  /** Runs an operation at the moment when it has passed its gates. */
  async #pass<T>(steps: readonly Step[], work: () => Promise<T>): Promise<T> {
    try {
      return await new Promise<T>((resolve) => {
        const start = () => resolve((async () => work())());
        if (this.#walk(steps, start)) start();
      });
    } finally {
      for (const { key, alone } of steps) this.#leave(key, alone);
    }
  }

  /** Whether all gates are passed immediately. Otherwise each is entered at the moment when the one before opens, then `passed` is called. */
  #walk(steps: readonly Step[], passed: () => void): boolean {
    for (const [at, { key, alone }] of steps.entries()) {
      const goOn = () => {
        if (this.#walk(steps.slice(at + 1), passed)) passed();
      };
      // Looked up as late as possible, because idle gates are removed.
      if (!this.#gateOf(key).enter(alone, goOn)) return false;
    }
    return true;
  }

  #gateOf(key: string): Gate {
    const known = this.#gates.get(key);
    if (known) return known;
    const gate = new Gate();
    this.#gates.set(key, gate);
    // A new gate lets a claim pass immediately.
    for (const claim of this.#claims) if (claims(claim, key)) gate.enter(true, () => {});
    return gate;
  }

  /** Leaves a gate, which still exists because it was not idle. */
  #leave(key: string, alone: boolean): void {
    const gate = this.#gateOf(key);
    gate.leave(alone);
    if (gate.isIdle) this.#gates.delete(key);
  }
}
