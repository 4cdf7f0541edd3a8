/** Work on the engine that runs in the background: once at a time, and again if it is wanted meanwhile. */
export class BackgroundWork {
  readonly #work: () => Promise<void>;
  readonly #report: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isPaused = false;

  /** `report` is called with errors of `work`, which do not end anything else. */
  constructor(work: () => Promise<void>, report: (error: unknown) => void) {
    this.#work = work;
    this.#report = report;
  }

  /** Whether the work must end as soon as it can. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Whether the work runs again when it ends. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Runs the work, or lets it run again when it ends. Does nothing during a pause. */
  wake(): void {
    if (this.#isPaused) return;
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  resume(): void {
    this.#isPaused = false;
    this.wake();
  }

  /** Stops the work until `resume`. Resolves when its current step has ended. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  /** Resolves when no work is in progress, and none is wanted. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isPaused) {
      this.#isWanted = false;
      await this.#work().catch(this.#report);
    }
    this.#running = undefined;
  }
}
