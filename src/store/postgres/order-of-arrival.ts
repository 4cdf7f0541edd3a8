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

/**
 * Keeps the writes of one server in the order in which they were asked for: a drop refuses the commits that came after
 * it, and lets those pass that came before.
 */
export class OrderOfArrival {
  readonly #gates = new Map<string, Gate>();

  /** Runs an operation in its turn. Its place is taken before this returns. */
  run<T>(reach: Reach, work: () => Promise<T>): Promise<T> {
    const isTable = 'name' in reach;
    const steps: readonly [key: string, alone: boolean][] = isTable
      ? [
          [reach.account, false],
          [`${reach.account}/${reach.name}`, reach.alone],
        ]
      : [[reach.account, true]];
    return this.#enter(steps, 0, work);
  }

  /**
   * Takes the place of an operation that needs all of several accounts for itself, until `leave` is called.
   * All places are taken before this returns, so two such operations never wait for each other.
   */
  enter(accounts: readonly string[]): { readonly entered: Promise<unknown>; leave(): void } {
    const gates = [...new Set(accounts)].map((account) => ({ account, gate: this.#gateOf(account) }));
    const waits = gates.map(({ gate }) => gate.enter(true));
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      for (const { account, gate } of gates) this.#leave(account, gate, true);
    };
    return { entered: Promise.all(waits), leave };
  }

  #enter<T>(steps: readonly (readonly [string, boolean])[], at: number, work: () => Promise<T>): Promise<T> {
    const step = steps[at];
    if (!step) return work();
    const [key, alone] = step;
    const gate = this.#gateOf(key);
    const wait = gate.enter(alone);
    const next = () => this.#enter(steps, at + 1, work);
    return (wait ? wait.then(next) : next()).finally(() => this.#leave(key, gate, alone));
  }

  #gateOf(key: string): Gate {
    const gate = this.#gates.get(key) ?? new Gate();
    this.#gates.set(key, gate);
    return gate;
  }

  #leave(key: string, gate: Gate, alone: boolean): void {
    gate.leave(alone);
    if (gate.isIdle) this.#gates.delete(key);
  }
}
