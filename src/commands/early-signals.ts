import { constants } from 'node:os';

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Exits on SIGTERM and SIGINT. The first process of a container has no default handler for them: without this one it
 * would ignore them and be killed after ten seconds.
 */
export function leaveOnSignals(): void {
  for (const signal of signals) process.on(signal, leave);
}

/**
 * Removes the handlers of `leaveOnSignals`. Call this after another handler is installed: a signal that arrives without
 * any handler in place is lost.
 */
export function answerSignals(): void {
  for (const signal of signals) process.off(signal, leave);
}

function leave(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}
