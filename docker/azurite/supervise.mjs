import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { services } from './split-flags.mjs';

/** @typedef {import('./split-flags.mjs').Service} Service */

/** Time limit for stopping a service. Docker kills the container after ten seconds. Unit: milliseconds. */
const endMs = 8000;

/** Normal exit codes after a signal: 0, or the code of the signal if it arrived while the program was still loading. */
const normalExitCodes = new Set([0, 128 + constants.signals.SIGTERM, 128 + constants.signals.SIGINT]);

/** The lines of the services when they start and when they are ready. `azurite` prints them in other words. */
const startingLine = /^Azurite \w+ service is starting on (?=\S+$)/;
const readyLine = /service (?:is )?successfully (?:listening|listens|started) (?:at|on) (\S+)/;

/** Modules that each service loads before its program. */
const preloaded = ['end-with-parent.mjs'];

const isWindows = process.platform === 'win32';

/** @type {Readonly<Record<Service, string>>} */
const titles = { blob: 'Blob', queue: 'Queue', table: 'Table' };

/**
 * Runs services in parallel, each in a process of its own. When one ends or a signal arrives, stops the others, too. If
 * this process is killed, they end by themselves.
 *
 * Prints a ready line for each service in the words of `azurite`, in the order blob, queue, table. Other programs wait
 * for these lines, some only for the last one. Blobs start when the other services are ready: many programs try only the
 * port of blobs before they use all three.
 *
 * @param {Partial<Record<Service, string[]>>} words the command line of each service to start
 * @returns {Promise<number>} the exit code. After a signal: 0, or the code of a service that failed to stop. Otherwise
 *   the code of the service that ended first, or 1 if that is 0, because no service should end by itself.
 */
export async function supervise(words) {
  const running = services.filter((service) => words[service]);
  const announce = announcer(running, words, startLast);
  const children = running.map((service) => {
    const preloads = service === 'blob' && running.length > 1 ? [...preloaded, 'wait-for-others.mjs'] : preloaded;
    return startService(service, preloads, words[service] ?? [], announce);
  });
  function startLast() {
    const blobs = children[running.indexOf('blob')]?.child;
    if (blobs?.connected) blobs.send('start', () => {});
  }
  let stopping = false;
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    if (stopping) return;
    stopping = true;
    for (const { child } of children) end(child, signal);
    setTimeout(() => {
      for (const { child } of children) child.kill('SIGKILL');
    }, endMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Windows has no signals. Process managers such as PM2 send this message instead, as they do to Azurite.
  if (process.send) {
    process.on('message', (message) => message === 'shutdown' && stop('SIGTERM'));
    process.channel?.unref();
  }
  const first = await Promise.race(children.map(({ ended }) => ended));
  const wasSignaled = stopping;
  if (!wasSignaled) {
    process.stderr.write(`The ${first.service} service ended with ${first.code}. The other services are stopped.\n`);
  }
  stop('SIGTERM');
  const ends = await Promise.all(children.map(({ ended }) => ended));
  if (wasSignaled) return ends.find(({ code }) => !normalExitCodes.has(code))?.code ?? 0;
  return first.code || 1;
}

/**
 * @param {Service} service
 * @param {string[]} preloads
 * @param {string[]} words
 * @param {(service: Service, line: string) => void} announce
 */
function startService(service, preloads, words, announce) {
  const beside = (/** @type {string} */ name) => new URL(name, import.meta.url);
  const program = fileURLToPath(beside(`azurite-${service}.mjs`));
  const imports = preloads.flatMap((name) => ['--import', beside(name).href]);
  const child = spawn(process.execPath, [...imports, program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // A terminal sends its signals to the whole group. In a group of its own, a service gets each signal once, from us.
    detached: !isWindows,
  });
  createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }).on('line', (line) =>
    announce(service, line),
  );
  const ended = new Promise((/** @type {(end: { service: Service, code: number }) => void} */ resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`azurite-${service} cannot be started: ${error.message}\n`);
      resolve({ service, code: 127 });
    });
    child.once('close', (code, signal) => {
      resolve({ service, code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'] });
    });
  });
  return { child, ended };
}

/**
 * Tells a service to close its data and end. On Windows a signal would kill it, so it gets a message; Ctrl+C has already
 * reached it there.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function end(child, signal) {
  if (!isWindows) child.kill(signal);
  // A service that ends at this moment cannot take the message, and needs none.
  else if (signal !== 'SIGINT' && child.connected) child.send('shutdown', () => {});
}

/**
 * Returns a function that prints lines. It rewrites starting and ready lines to those of `azurite`, and holds ready
 * lines back until the services before them in `order` are ready. Calls `onOthersReady` when all but blobs are ready.
 *
 * @param {readonly Service[]} order
 * @param {Partial<Record<Service, string[]>>} words the command line of each service
 * @param {() => void} onOthersReady
 * @returns {(service: Service, line: string) => void}
 */
function announcer(order, words, onOthersReady) {
  /** @type {Map<Service, string>} */
  const urls = new Map();
  let announced = 0;
  return (service, line) => {
    const url = readyLine.exec(line)?.[1];
    if (url === undefined) {
      const isSecure = words[service]?.some((word) => /^--(?:cert|https)(?:=|$)/.test(word));
      const starting = `Azurite ${titles[service]} service is starting at http${isSecure ? 's' : ''}://`;
      process.stdout.write(`${line.replace(startingLine, starting)}\n`);
      return;
    }
    if (urls.has(service)) return;
    urls.set(service, url);
    if (service !== 'blob' && order.every((one) => one === 'blob' || urls.has(one))) onOthersReady();
    for (let next = order[announced]; next && urls.has(next); next = order[++announced]) {
      process.stdout.write(`Azurite ${titles[next]} service is successfully listening at ${urls.get(next)}\n`);
    }
  };
}
