import { dataFolder } from '../../../src/store/level/open-folder.js';

/**
 * Moments of a program: how many asynchronous operations it has made by then. They differ between versions of Node,
 * because some load modules without asynchronous operations, and they grow with the program. A test measures them.
 */
export interface OperationCounts {
  /** It uses its data for the first time. */
  readonly opens: number;
  /** It uses its data for the last time before it prints. */
  readonly opened: number;
  /** It writes its first output. If it opens no data, the other two are the same. */
  readonly prints: number;
}

/** Options of Node that make a program write its counts to standard error before its first output. */
export const countOperations: readonly string[] = ['--import', moduleUrl('count-operations.mjs', { data: dataFolder })];

/** Reads the counts from what a program with `countOperations` wrote to standard error. Throws if it printed nothing. */
export function readCounts(errors: string): OperationCounts {
  const [line] = /^\{"opens".*\}$/m.exec(errors) ?? [];
  if (line === undefined) throw new Error(`The program counted no operations: ${errors}`);
  return JSON.parse(line) as OperationCounts;
}

/** Returns options of Node that make a program send itself a signal after a number of asynchronous operations. */
export function signalAfter(signal: NodeJS.Signals, operations: number): readonly string[] {
  return ['--import', moduleUrl('signal-after.mjs', { signal, operations: `${Math.floor(operations)}` })];
}

/**
 * Returns a point while data is opened, for a random number from 0 to 1. Unit: operations. The counts may be those of an
 * empty place: a place with data takes up to twice as long.
 */
export function openingPoint({ opens, opened }: OperationCounts, random: number): number {
  return opens + random * 2 * (opened - opens);
}

function moduleUrl(file: string, parameters: Readonly<Record<string, string>>): string {
  return new URL(`${file}?${new URLSearchParams(parameters)}`, import.meta.url).href;
}
