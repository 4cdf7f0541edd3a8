import { constants } from 'node:os';
import { copyStore } from '../../store/copy/copy-store.js';
import type { StoreDigest } from '../../store/copy/digest-parts.js';
import { openLoader, openReader } from '../../store/open-store.js';
import { answerSignals, endSignals } from '../early-signals.js';
import type { CopyPlaces } from './copy-options.js';

/** Where the command writes. */
export interface CopyOutput {
  /** Prints a line of the result. */
  readonly print: (line: string) => void;
  /** Prints a line about the progress. */
  readonly printProgress: (line: string) => void;
}

/** Time between two lines about the progress. Unit: milliseconds. */
const progressMs = 2000;

/**
 * Copies all data from one place to another, verifies the copy, and prints what was copied.
 *
 * Returns the exit code: 0, or 128 plus the number of the signal that ended the copy. Errors: StoreError, with what to do.
 */
export async function copy({ from, to }: CopyPlaces, output: CopyOutput): Promise<number> {
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => stop.abort(new Interrupted(signal));
  const signals = endSignals();
  for (const name of signals) process.once(name, interrupt);
  answerSignals();
  const { signal } = stop;
  const report = (warning: unknown) => output.printProgress(warning instanceof Error ? warning.message : `${warning}`);
  try {
    const source = await openReader(from, { report, signal });
    try {
      const target = await openLoader(to, { report, signal });
      try {
        const digest = await copyStore(source, target, { signal, onProgress: throttle(output.printProgress) });
        for (const line of resultLines(digest)) output.print(line);
        return 0;
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    output.printProgress('The copy was interrupted. Run the command again; it starts over.');
    return 128 + constants.signals[error.signal];
  } finally {
    for (const name of signals) process.off(name, interrupt);
  }
}

/** The reason of a copy that a signal has ended. */
class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.signal = signal;
  }
}

function throttle(printLine: (line: string) => void): (progress: { step: string; entities: number }) => void {
  let printedAt = performance.now();
  return ({ step, entities }) => {
    if (performance.now() - printedAt < progressMs) return;
    printedAt = performance.now();
    printLine(`${step}: ${entities} entities`);
  };
}

function resultLines({ settings, tables, entities, checksum }: StoreDigest): readonly string[] {
  return [
    `copied and verified: ${count(tables, 'table')}, ${count(entities, 'entity', 'entities')}, settings of ${count(settings, 'account')}`,
    `SHA-256 of both: ${checksum}`,
  ];
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
