import type { Sink } from '../../service/gate.js';
import { ClientGone } from '../../service/stages.js';

/** Requests that a fault delays. All resume when a rule is removed or the server stops. */
export class Waits {
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  /** Waits for a time in milliseconds, or until released. Errors: ClientGone if the client leaves first. */
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
      const gone = () => end(() => reject(new ClientGone()));
      const timer = setTimeout(() => end(() => resolve('over')), ms);
      const forget = sink.onGone(gone);
      this.#ends.add(released);
    });
  }

  release(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Resumes all requests, now and later. */
  close(): void {
    this.#isClosed = true;
    this.release();
  }
}
