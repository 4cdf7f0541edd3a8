import type { AbstractSnapshot } from 'abstract-level';
import type { Engine } from './engine.js';

/** The engine as it is at one moment, for several who are done with it at different times. The last one closes it. */
export class SharedView {
  readonly snapshot: AbstractSnapshot;
  #holders = 1;

  /** Whoever makes it holds it. */
  constructor(engine: Engine) {
    this.snapshot = engine.snapshot();
  }

  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    this.#holders--;
    // Nobody need wait for it, and the engine closes what is left when it closes itself.
    if (this.#holders === 0) this.snapshot.close().catch(() => {});
  }
}
