import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { services } from './split-flags.mjs';

/** @typedef {import('./split-flags.mjs').Service} Service */

/** Time limit for stopping a service. Docker kills the container after ten seconds. Unit: milliseconds. */
const endMs = 8000;

/** Normal exit codes after a signal: 0, or the code of the signal if it arrived while the program was still loading. */
const normalExitCodes = new Set([0, 128 + constants.signals.SIGTERM, 128 + constants.signals.SIGINT]);

/** The ready lines of the programs. Those of Azurite's services differ from the lines that `azurite` prints. */
const readyLine = /service (?:is )?successfully (?:listening|listens|started) (?:at|on) (\S+)/;

/** @type {Readonly<Record<Service, string>>} */
const titles = { blob: 'Blob', queue: 'Queue', table: 'Table' };

/**
 * Runs services in parallel, each a program on the PATH. When one ends or a signal arrives, stops the others, too.
 *
 * Prints a ready line for each service in the words of `azurite`, in the order blob, queue, table. Other programs wait
 * for these lines, some only for the last one.
 *
 * @param {Partial<Record<Service, string[]>>} words the command line of each service to start
 * @returns {Promise<number>} the exit code. After a signal: 0, or the code of a service that failed to stop. Otherwise
 *   the code of the service that ended first. If several services run, 0 becomes 1, because none should end by itself.
 */
export async function supervise(words) {
  const running = services.filter((service) => words[service]);
  const announce = announcer(running);
  const children = running.map((service) => startService(service, words[service] ?? [], announce));
  let stopping = false;
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    if (stopping) return;
    stopping = true;
    for (const { child } of children) child.kill(signal);
    setTimeout(() => {
      for (const { child } of children) child.kill('SIGKILL');
    }, endMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const first = await Promise.race(children.map(({ ended }) => ended));
  const wasSignaled = stopping;
  if (!wasSignaled && running.length > 1) {
    process.stderr.write(`The ${first.service} service ended with ${first.code}. The other services are stopped.\n`);
  }
  stop('SIGTERM');
  const ends = await Promise.all(children.map(({ ended }) => ended));
  if (wasSignaled) return ends.find(({ code }) => !normalExitCodes.has(code))?.code ?? 0;
  return running.length > 1 ? first.code || 1 : first.code;
}

/**
 * @param {Service} service
 * @param {string[]} words
 * @param {(service: Service, line: string) => void} announce
 */
function startService(service, words, announce) {
  const child = spawn(`azurite-${service}`, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => announce(service, line));
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
 * Returns a function that prints lines. It rewrites ready lines to those of `azurite`, and holds them back until the
 * services before them in `order` are ready.
 *
 * @param {readonly Service[]} order
 * @returns {(service: Service, line: string) => void}
 */
function announcer(order) {
  /** @type {Map<Service, string>} */
  const urls = new Map();
  let announced = 0;
  return (service, line) => {
    const url = readyLine.exec(line)?.[1];
    if (url === undefined) {
      process.stdout.write(`${line}\n`);
      return;
    }
    if (!urls.has(service)) urls.set(service, url);
    for (let next = order[announced]; next && urls.has(next); next = order[++announced]) {
      process.stdout.write(`Azurite ${titles[next]} service is successfully listening at ${urls.get(next)}\n`);
    }
  };
}
