import type { ServerResponse } from 'node:http';

/** How long a stop waits for answers under way, so that it takes less than a second. Unit: milliseconds. */
const graceMs = 700;

/** The requests that are being answered, for a stop that neither cuts them off nor waits for idle connections. */
export class ActiveRequests {
  #count = 0;
  #idle: (() => void) | undefined;

  /** Counts a request until its answer is out or its client gone. */
  begin(response: ServerResponse): void {
    this.#count++;
    response.once('close', () => {
      this.#count--;
      if (this.#count === 0) this.#idle?.();
    });
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
