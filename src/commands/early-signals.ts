import { constants } from 'node:os';

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process when it is told to, as it would end by itself. The first process of a container does not: it has no
 * answer to a signal but its own, and would be killed after ten seconds.
 */
export function leaveOnSignals(): void {
  for (const signal of signals) process.on(signal, leave);
}

/**
 * Leaves signals to whoever has more to do than to leave, and listens already: a signal that came while modules were
 * loaded is lost when nobody is left who listens.
 */
export function answerSignals(): void {
  for (const signal of signals) process.off(signal, leave);
}

function leave(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}
