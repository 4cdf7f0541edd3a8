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

/** A gate that an operation has to pass. Its key leads to it. */
interface Step {
  readonly key: string;
  readonly alone: boolean;
}

/**
 * Keeps the writes of one server in the order in which they were asked for: a drop refuses the commits that came after
 * it, and lets those pass that came before.
 */
export class OrderOfArrival {
  readonly #gates = new Map<string, Gate>();

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
   * Lines up an operation that needs all of several accounts for itself, until `leave` is called.
   * It is in line everywhere before this returns, so two such operations never wait for each other.
   */
  enter(accounts: readonly string[]): { readonly entered: Promise<unknown>; leave(): void } {
    const keys = new Set(accounts);
    const waits = [...keys].map((key) => this.#gateOf(key).enter(true));
    const leave = () => {
      for (const key of keys) this.#leave(key, true);
      keys.clear();
    };
    return { entered: Promise.all(waits), leave };
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
    return gate;
  }

  /** Leaves a gate that was passed. It is still there, because it was not idle. */
  #leave(key: string, alone: boolean): void {
    const gate = this.#gateOf(key);
    gate.leave(alone);
    if (gate.isIdle) this.#gates.delete(key);
  }
}
