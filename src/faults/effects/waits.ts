import type { Sink } from '../../service/gate.js';
import { ClientGone } from '../../service/stages.js';

/** The requests that wait for a fault. They all continue when a rule is removed or the server stops. */
export class Waits {
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  /** Waits for a time, or until it is released. Unit: milliseconds. Errors: ClientGone if the client leaves before. */
  wait(ms: number, sink: Sink): Promise<'over' | 'released'> {
    if (sink.isGone) return Promise.reject(new ClientGone());
    if (this.#isClosed) return Promise.resolve('released');
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        forget();
        this.#ends.delete(released);
        settle();
      };
      const released = () => end(() => resolve('released'));
      const left = () => end(() => reject(new ClientGone()));
      const timer = setTimeout(() => end(() => resolve('over')), ms);
      const forget = sink.onGone(left);
      this.#ends.add(released);
    });
  }

  /** Resumes all waiting requests. */
  release(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Resumes all requests, now and later. */
  close(): void {
    this.#isClosed = true;
    this.release();
  }
}
