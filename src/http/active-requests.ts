import type { ServerResponse } from 'node:http';

/** How long a stop waits for answers under way, so that it takes less than a second. Unit: milliseconds. */
const graceMs = 700;

/** The requests that are being answered, for a stop that neither cuts them off nor waits for idle connections. */
export class ActiveRequests {
  #count = 0;
  #idle: (() => void) | undefined;

  /** Counts a request, which `end` must be told of. */
  begin(): void {
    this.#count++;
  }

  /** Counts a request no longer once its answer is out or its client gone. */
  end(response: ServerResponse): void {
    // Small answers are out as soon as they are written: nothing need be told of them later.
    if (response.writableFinished || response.destroyed) this.#forget();
    else response.once('close', () => this.#forget());
  }

  #forget(): void {
    this.#count--;
    if (this.#count === 0) this.#idle?.();
  }

  /** Resolves when nothing is being answered, or when waiting longer would be rude. */
  async settled(): Promise<void> {
    if (this.#count === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }
}
