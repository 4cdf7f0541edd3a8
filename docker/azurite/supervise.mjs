import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { services } from './split-flags.mjs';

/** @typedef {import('./split-flags.mjs').Service} Service */

/** How long a service may take to end. Docker kills after ten seconds. Unit: milliseconds. */
const endMs = 8000;

/** Exit codes after a signal: an orderly end, or one by the signal itself, which no program catches while it loads. */
const endedAsTold = new Set([0, 128 + constants.signals.SIGTERM, 128 + constants.signals.SIGINT]);

/** What the programs say when they listen: Azurite's own differ from what `azurite` says for them. */
const readyLine = /service (?:is )?successfully (?:listening|listens|started) (?:at|on) (\S+)/;

/** @type {Readonly<Record<Service, string>>} */
const titles = { blob: 'Blob', queue: 'Queue', table: 'Table' };

/**
 * Runs services side by side, each a program on the PATH, until one ends or a signal comes; then ends the others, too.
 *
 * Says of each that it listens in the words of `azurite`, in the order of blob, queue and table: programs wait for
 * these lines, some for the last alone.
 *
 * @param {Partial<Record<Service, string[]>>} words the command line of each service that is to run
 * @returns {Promise<number>} the exit code: 0 when all end well after a signal, or when a lone service has answered a
 *   question; else that of the service that ended first, or 1 if that service said 0, since a service is to go on
 */
export async function supervise(words) {
  const running = services.filter((service) => words[service]);
  const announce = announcer(running);
  const children = running.map((service) => startService(service, words[service] ?? [], announce));
  let told = false;
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    if (told) return;
    told = true;
    for (const { child } of children) child.kill(signal);
    setTimeout(() => {
      for (const { child } of children) child.kill('SIGKILL');
    }, endMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const first = await Promise.race(children.map(({ ended }) => ended));
  const wasTold = told;
  if (!wasTold && running.length > 1) {
    process.stderr.write(`The ${first.service} service ended with ${first.code}, so the others end, too.\n`);
  }
  stop('SIGTERM');
  const ends = await Promise.all(children.map(({ ended }) => ended));
  if (wasTold) return ends.find(({ code }) => !endedAsTold.has(code))?.code ?? 0;
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
 * Passes lines on, but those that say a service listens as `azurite` says them, and in its order.
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
