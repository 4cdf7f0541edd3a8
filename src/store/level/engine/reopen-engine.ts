import type { CommitQueue } from '../log/commit-queue.js';
import type { Engine } from './engine.js';
import type { EngineGate } from './engine-gate.js';

/** Callbacks around a reopening of the engine. */
interface ReopenOptions {
  /** Throws while there is not enough free space to open the engine, or the disk fails writes. */
  readonly checkDisk: () => Promise<void>;
  readonly pause: () => Promise<void>;
  readonly resume: () => void;
}

/**
 * Closes and opens the engine after a failed write, on the next write. Until then, the engine still serves reads.
 *
 * Closing an engine ends its iterators and snapshots, so current scans finish first, and new ones wait. All are short.
 */
export class EngineReopener {
  readonly #engine: Engine;
  readonly #queue: CommitQueue;
  readonly #options: ReopenOptions;
  readonly #gate: EngineGate;
  #reopening: Promise<void> | undefined;
  #stopped = false;
  /** Whether the engine closes as soon as all scans have ended. */
  #isClosing = false;

  constructor(engine: Engine, gate: EngineGate, queue: CommitQueue, options: ReopenOptions) {
    this.#engine = engine;
    this.#gate = gate;
    this.#queue = queue;
    this.#options = options;
  }

  /** The reopening that a lookup must await; undefined if it can start now. */
  get readable(): Promise<void> | undefined {
    return this.#engine.status === 'open' && !this.#isClosing ? undefined : this.reopen();
  }

  /** The promise that a scan must await; undefined if it can enter the gate now. */
  get scannable(): Promise<void> | undefined {
    return this.readable ?? this.#gate.opening;
  }

  /** Prevents further reopenings, and waits for the current one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#reopening?.catch(() => {});
  }

  /** Reopens the engine. Concurrent calls share one reopening. Errors: StoreError if the disk lacks space or fails writes. */
  reopen(): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('the store is closed'));
    this.#reopening ??= this.#closeAndOpen().finally(() => {
      this.#reopening = undefined;
      this.#isClosing = false;
    });
    return this.#reopening;
  }

  async #closeAndOpen(): Promise<void> {
    await this.#queue.drain();
    if (this.#engine.status === 'open') {
      // Before closing: a closed engine might not open again, and cannot serve reads.
      await this.#options.checkDisk();
      this.#isClosing = true;
      await this.#options.pause();
      await this.#gate.write(() => this.#close(), 0);
    }
    await this.#engine.open();
    await this.#queue.resume();
    this.#options.resume();
  }

  async #close(): Promise<void> {
    if (this.#stopped) throw new Error('the store is closed');
    await this.#engine.close();
  }
}
