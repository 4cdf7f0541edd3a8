import { Worker } from 'node:worker_threads';

/** Runs beside the event loop, which a request that never ends does not leave. */
const watchdog = `
const { parentPort } = require('node:worker_threads');
let watched;
parentPort.on('message', (message) => (watched = message));
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (!watched || (user + system) / 1000 < watched.until) return;
  require('node:fs').writeSync(2, watched.work + ' takes too long: the process ends here.\\n');
  process.kill(process.pid, 'SIGKILL');
}, 250);
`;

/** Ends the process, and with it the test file, if work takes more than its share of the processor. A timeout cannot: it needs the event loop. */
export class ProcessorLimit {
  readonly #thread = new Worker(watchdog, { eval: true });
  readonly #limitMs: number;

  /** `limitMs` is the limit of each piece of work. Unit: milliseconds of processor time. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#thread.unref();
  }

  /** Begins to watch a piece of work, named by `work`; undefined: none. */
  watch(work: string | undefined): void {
    const { user, system } = process.cpuUsage();
    this.#thread.postMessage(work && { work, until: (user + system) / 1000 + this.#limitMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }
}
