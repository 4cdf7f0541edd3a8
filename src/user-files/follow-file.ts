import { setTimeout as pause } from 'node:timers/promises';

/**
 * Time between two reads of a file. Files are polled because file system events miss files that are mounted or replaced.
 * (Our choice.) Unit: milliseconds.
 */
const pollMs = 1000;

/** How long a changed file must stay the same, because a program may be in the middle of writing it. (Our choice.) Unit: milliseconds. */
const settleMs = 50;

/** The content of a followed file: a fingerprint for comparison, and its meaning. */
export interface ReadContent<Value> {
  readonly fingerprint: string;
  readonly value: Value;
}

/** Reads a file and is notified of its changes. */
interface FileFollower<Value> {
  /** Reads the file. Errors: any error, for a file that cannot be read or is invalid. */
  read(): Promise<ReadContent<Value>>;
  changed(value: Value): void;
  /** Called once for each failure of `read`. */
  failed(error: unknown): void;
}

/** The result of a read: content, or the error of a failure. */
interface Reading {
  readonly fingerprint: string;
  report(): void;
}

/**
 * Polls a file and reports each change and each new failure once. The timer does not keep the process alive.
 *
 * `known` is the fingerprint of the last content. Returns a function that stops the polling and all reports.
 */
export function followFile<Value>(
  known: string,
  { read, changed, failed }: FileFollower<Value>,
  everyMs: number = pollMs,
): () => void {
  let last = known;
  let stopped = false;
  const look = async (): Promise<Reading> => {
    try {
      const { fingerprint, value } = await read();
      return { fingerprint, report: () => changed(value) };
    } catch (error) {
      return { fingerprint: `failed: ${error}`, report: () => failed(error) };
    }
  };
  const poll = async () => {
    let found = await look();
    while (!stopped && found.fingerprint !== last) {
      await pause(Math.min(settleMs, everyMs), undefined, { ref: false });
      const again = await look();
      if (!stopped && again.fingerprint === found.fingerprint) {
        last = again.fingerprint;
        again.report();
      }
      found = again;
    }
  };
  // Polls never overlap. Otherwise a slow read of older content could be reported after a newer one.
  let timer: NodeJS.Timeout | undefined;
  const scheduleNext = () => {
    timer = setTimeout(() => void poll().finally(() => stopped || scheduleNext()), everyMs).unref();
  };
  scheduleNext();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
