/** Background work on the engine: one run at a time, and another if it is woken meanwhile. */
export class BackgroundWork {
  readonly #work: () => Promise<void>;
  readonly #report: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isPaused = false;

  constructor(work: () => Promise<void>, report: (error: unknown) => void) {
    this.#work = work;
    this.#report = report;
  }

  /** Whether the work must end as soon as possible. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Whether the work runs again when it ends. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Runs the work, now or after the current run. Does nothing during a pause. */
  wake(): void {
    if (this.#isPaused) return;
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  resume(): void {
    this.#isPaused = false;
    this.wake();
  }

  /** Stops the work until `resume`. Resolves when the current step has ended. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  /** Resolves when the work is idle. */
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
