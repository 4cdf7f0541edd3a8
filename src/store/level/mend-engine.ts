import type { CommitQueue } from './commit-queue.js';
import type { Engine } from './engine.js';

/** What is done around the reopening of an engine. */
export interface MendOptions {
  /** Fails while the engine could not be opened again. */
  readonly checkRoom: () => Promise<void>;
  /** Pauses work in the background that uses the engine. */
  readonly pause: () => Promise<void>;
  /** Reads again what is kept in memory, and goes on with work in the background. */
  readonly reload: () => Promise<void>;
}

/**
 * Reopens an engine after a write has failed, when the next write asks for it. Until that succeeds the engine, which
 * can still be read, stays as it is.
 *
 * Closing an engine ends the iterators on it. So scans that are under way are let finish first, and new ones wait.
 */
export class EngineMender {
  readonly #engine: Engine;
  readonly #queue: CommitQueue;
  readonly #options: MendOptions;
  #mending: Promise<void> | undefined;
  #stopped = false;
  /** The engine is about to be closed to be opened again. */
  #isClosing = false;
  #scans = 0;
  #scansEnded: (() => void) | undefined;

  constructor(engine: Engine, queue: CommitQueue, options: MendOptions) {
    this.#engine = engine;
    this.#queue = queue;
    this.#options = options;
  }

  /** What a read must wait for, if anything. */
  get readable(): Promise<void> | undefined {
    return this.#engine.status === 'open' && !this.#isClosing ? undefined : this.mend();
  }

  /** Keeps the engine open until `endScan`. To be called once `readable` is undefined. */
  startScan(): void {
    this.#scans++;
  }

  /** Ends what `startScan` began. */
  endScan(): void {
    this.#scans--;
    if (this.#scans === 0) this.#scansEnded?.();
  }

  /** Mends no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#scansEnded?.();
    await this.#mending?.catch(() => {});
  }

  /** Opens the engine again, once for all who ask. Errors: StoreError where there is no room for that. */
  mend(): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('the store is closed'));
    this.#mending ??= this.#reopen().finally(() => {
      this.#mending = undefined;
      this.#isClosing = false;
    });
    return this.#mending;
  }

  async #reopen(): Promise<void> {
    await this.#queue.drain();
    if (this.#engine.status === 'open') {
      await this.#options.checkRoom();
      this.#isClosing = true;
      await this.#allScansEnded();
      if (this.#stopped) throw new Error('the store is closed');
      await this.#options.pause();
      await this.#engine.close();
    }
    await this.#engine.open();
    await this.#options.reload();
    this.#queue.mended();
  }

  async #allScansEnded(): Promise<void> {
    if (this.#scans === 0) return;
    await new Promise<void>((resolve) => {
      this.#scansEnded = resolve;
    });
    this.#scansEnded = undefined;
  }
}
