import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { endSignals } from '../early-signals.js';

/**
 * Starts a command with its arguments exactly as given, and never through a shell of its own. On Windows, commands of npm packages
 * are batch files, which only cmd.exe can run: cross-spawn finds and escapes them.
 */
export async function spawnCommand(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  const options: SpawnOptions = { env, stdio: 'inherit' };
  if (process.platform !== 'win32') return spawn(file, args, options);
  const { default: crossSpawn } = await import('cross-spawn');
  return crossSpawn(file, args, options);
}

/** Waits for a command and forwards signals to it. Returns its exit code. Errors: a system error if it cannot start. */
export function waitForCommand(child: ChildProcess): Promise<number> {
  const forward = (signal: NodeJS.Signals) => {
    if (!reachesCommand(signal)) child.kill(signal);
  };
  const signals = endSignals();
  for (const signal of signals) process.on(signal, forward);
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  }).finally(() => {
    for (const signal of signals) process.off(signal, forward);
  });
}

/**
 * Whether the system itself delivers a signal to the command. A Windows console notifies each of its programs, and `kill` would
 * terminate the command at once there. At a terminal, Ctrl+C reaches the command too, and many programs quit without cleaning
 * up at the second SIGINT.
 */
function reachesCommand(signal: NodeJS.Signals): boolean {
  return process.platform === 'win32' || (signal === 'SIGINT' && process.stdin.isTTY);
}
