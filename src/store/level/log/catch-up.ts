import type { Engine } from '../engine/engine.js';
import type { EngineGate } from '../engine/engine-gate.js';
import { commitsKey, provedMark } from '../engine/key-encoding.js';
import type { CommitLog } from './commit-log.js';
import { proveOnDisk, restartLog } from './prove-on-disk.js';
import type { Tail } from './tail.js';
import { prepareBatches, prepareWholeBatch } from './write-batches.js';

/** The engine gets the tail at this number of changes. (Our choice: the preceding sync costs as much as 100 inserts.) */
const changesMin = 4096;

/** The engine gets the tail at this length of its strings. Unit: UTF-16 code units. (Our choice.) */
const unitsMin = 2 * 1024 * 1024;

/** The engine gets the tail this time after its first change. Unit: milliseconds. (Our choice.) */
const waitMs = 1000;

/** From this length on, commits wait until the engine has the tail. Unit: UTF-16 code units. (Our choice.) */
const unitsMax = 32 * 1024 * 1024;

/** The dependencies of a catch-up, except the engine. */
interface CatchUpOptions {
  readonly log: CommitLog;
  readonly tail: Tail;
  readonly gate: EngineGate;
  /** Throws while the disk lacks space to apply a log of this size. Unit: bytes. */
  readonly checkFreeSpace: (unprovedBytes: number) => Promise<void>;
  /** Is called before the tail forgets changes that the engine has. */
  readonly onCaughtUp: () => void;
  /** Is called when the log or the engine fails. The tail keeps all changes that the engine may lack. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Gives the engine the commits of the tail. First it syncs the log, because the engine must never have a commit that the log can lose.
 * Then the engine gets batches, cut anywhere, because readers see it under the tail and a start replays the log.
 *
 * When the log is large or the disk nearly full, a checkpoint proves that the commits are on disk in the engine, and deletes their
 * segments. If that does not suffice, further commits are rejected while the engine still has space for the earlier ones.
 */
export class CatchUp {
  readonly #engine: Engine;
  readonly #options: CatchUpOptions;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;
  #isPaused = false;
  /** The number of the last commit that the engine has. */
  #reached: number;

  constructor(engine: Engine, options: CatchUpOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#reached = options.log.last;
  }

  /** Whether commits must wait until the engine has the tail. */
  get isFull(): boolean {
    return this.#options.tail.waitingUnits >= unitsMax || this.#options.log.isFull;
  }

  /** Schedules the catch-up. Must be called after every commit. */
  wake(): void {
    if (this.#running || this.#hasFailed || this.#isPaused) return;
    const { tail, log } = this.#options;
    if (tail.waiting >= changesMin || tail.waitingUnits >= unitsMin || log.isLarge) this.#start();
    else {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#start();
      }, waitMs).unref();
    }
  }

  /** Resolves when the engine has every commit so far, or when the log or the engine has failed. */
  async run(): Promise<void> {
    const { last } = this.#options.tail;
    while (this.#reached < last && !this.#hasFailed) await (this.#running ?? this.#start());
  }

  /** Resolves when the engine has no write in progress. Until `resume`, only `run` writes to it. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#running) await this.#running;
  }

  /** Continues after a reopening of the engine. Errors: those of the log and the engine. */
  async resume(): Promise<void> {
    if (this.#options.log.isUntrusted) await this.#heal();
    this.#hasFailed = false;
    this.#isPaused = false;
  }

  /**
   * Repairs a log whose sync has failed, because the system may never retry the failed write. All acknowledged commits are in the tail
   * or the engine. The engine proves its commits, gets the rest in one batch, because the log may not have it on disk, and proves that,
   * too. Only then does the log restart.
   */
  async #heal(): Promise<void> {
    const { log, tail, gate, onCaughtUp } = this.#options;
    const { last } = log;
    if (this.#reached < last) {
      const changes = tail.take();
      try {
        // It may have more than `reached`, if a whole batch is on disk although its write failed.
        await proveOnDisk(this.#engine, this.#engine.getSync(commitsKey) ?? '0', gate);
        await gate.write(await prepareWholeBatch(this.#engine, changes, last));
      } catch (error) {
        tail.returnBatches();
        throw error;
      }
      onCaughtUp();
      tail.forgetBatches();
      this.#reached = last;
    }
    await restartLog(this.#engine, log, { gate, mark: provedMark });
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      if (this.#options.tail.waiting > 0) this.wake();
    });
    return this.#running;
  }

  #hasFreeSpace(): Promise<boolean> {
    const { log, checkFreeSpace } = this.#options;
    return checkFreeSpace(log.bytes).then(
      () => true,
      () => false,
    );
  }

  async #work(): Promise<void> {
    const { log, tail, gate, checkFreeSpace, onCaughtUp, onFailed } = this.#options;
    if (this.#hasFailed || this.#reached >= tail.last) return;
    const isCheckpoint = log.isLarge || !(await this.#hasFreeSpace());
    try {
      if (isCheckpoint) await log.turn();
      // Not the last commit of the log, which may not have reached the tail yet.
      const { last } = tail;
      const write = prepareBatches(this.#engine, tail.take(), last);
      await log.sync();
      await gate.write(async () => {
        await tail.highest.learn(this.#engine);
        await write();
      });
      onCaughtUp();
      tail.forgetBatches();
      this.#reached = last;
      if (isCheckpoint) {
        await proveOnDisk(this.#engine, last, gate);
        await log.release(last);
        await checkFreeSpace(log.bytes);
      }
    } catch (error) {
      this.#hasFailed = true;
      tail.returnBatches();
      onFailed(error);
    }
  }
}
