import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** The number of SIGHUP on every system that has it. */
const hangUp = 1;

/**
 * Returns the signals for a graceful shutdown. SIGHUP and SIGBREAK mean that the terminal was closed. Omits SIGHUP if `nohup` made the
 * process ignore it, because a handler would undo that.
 */
export function endSignals(): readonly NodeJS.Signals[] {
  if (process.platform === 'win32') return ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGBREAK'];
  return ignoresHangUp() ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
}

/** Whether this process ignores SIGHUP. Only Linux reports it; elsewhere, outputs that are not terminals suggest `nohup`. */
function ignoresHangUp(): boolean {
  if (process.platform !== 'linux') return !(process.stdout.isTTY || process.stderr.isTTY);
  const [, ignored = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readStatus()) ?? [];
  return (BigInt(`0x${ignored}`) & (1n << BigInt(hangUp - 1))) !== 0n;
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'latin1');
  } catch {
    // Without /proc, the signal is handled as usual.
    return '';
  }
}

/**
 * Exits on termination signals. The first process of a container has no default handlers: without this it would ignore them and be
 * killed after ten seconds.
 */
export function leaveOnSignals(): void {
  for (const signal of endSignals()) process.on(signal, leave);
}

/** Removes the handlers of `leaveOnSignals`. Call it once other handlers are installed: a signal without any handler is lost. */
export function answerSignals(): void {
  for (const signal of endSignals()) process.off(signal, leave);
}

function leave(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}
