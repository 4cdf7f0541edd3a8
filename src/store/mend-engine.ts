import type { CommitQueue, Engine } from './commit-queue.js';

/** What is done around the reopening of an engine. */
export interface MendOptions {
  /** Fails while the engine could not be opened anew. */
  readonly checkRoom: () => Promise<void>;
  /** Reads anew what is kept in memory. */
  readonly reload: () => Promise<void>;
}

/**
 * Opens an engine anew after a write has failed, when somebody next asks for it. Until that succeeds the engine, which
 * can still be read, stays as it is.
 */
export class EngineMender {
  readonly #engine: Engine;
  readonly #queue: CommitQueue;
  readonly #options: MendOptions;
  #mending: Promise<void> | undefined;
  #stopped = false;

  constructor(engine: Engine, queue: CommitQueue, options: MendOptions) {
    this.#engine = engine;
    this.#queue = queue;
    this.#options = options;
  }

  /** What a read must wait for, if anything. */
  get readable(): Promise<void> | undefined {
    return this.#engine.status === 'open' ? undefined : this.mend();
  }

  /** Mends no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#mending?.catch(() => {});
  }

  /** Opens the engine anew, once for all who ask. Errors: StoreError where there is no room for that. */
  mend(): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('the store is closed'));
    this.#mending ??= this.#reopen().finally(() => {
      this.#mending = undefined;
    });
    return this.#mending;
  }

  async #reopen(): Promise<void> {
    await this.#queue.drain();
    if (this.#engine.status === 'open') {
      await this.#options.checkRoom();
      await this.#engine.close();
    }
    await this.#engine.open();
    await this.#options.reload();
    this.#queue.mended();
  }
}
