import { type ChildProcess, spawn } from 'node:child_process';
import { builtFile } from './check-built.mjs';

/** The file of the built server. `node` runs it. */
export const serverFile = builtFile('dist/main.js');

/** How a program ended, and everything it wrote. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** A program in a process of its own. */
export interface RunningProgram {
  readonly pid: number | undefined;
  /** Returns what the program has written to standard output so far. */
  output(): string;
  /** Resolves to the first match in standard output. Rejects when the program ends without one. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to the program alone. */
  kill(signal: NodeJS.Signals): void;
  /** Closes standard output, or keeps it open and stops to read it. */
  leaveOutput(how: 'closed' | 'unread'): void;
  /** Ends standard input, of a program with the option `input`. */
  endInput(): void;
  readonly ended: Promise<Ending>;
}

/** How a program is run. */
export interface ProgramOptions {
  readonly cwd?: string;
  /** All environment variables. Absent: those of this process, without the ones that a server reads. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The user and the group that the program runs as. Needs the rights of root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** An open file for standard output. Absent: this process reads it. */
  readonly outputFile?: number;
  /** `pipe`: standard input stays open until `endInput`. Absent: it is empty. */
  readonly input?: 'pipe';
  /** How many files the program may have open. Absent: the limit of this process. */
  readonly openFilesMax?: number;
}

const running = new Set<ChildProcess>();
process.once('exit', killLeftovers);

/** Runs a program: the file, then its arguments. It leads a process group, so that its children end with it. */
export function runProgram(command: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const { cwd, environment = cleanEnvironment(), user, outputFile, openFilesMax, input = 'ignore' } = options;
  const limit = openFilesMax === undefined ? [] : ['sh', '-c', `ulimit -n ${openFilesMax}; exec "$0" "$@"`];
  const [file = '', ...args] = [...limit, ...command];
  const child = spawn(file, args, {
    ...(cwd !== undefined && { cwd }),
    env: environment,
    stdio: [input, outputFile ?? 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    ...user,
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return watch(child);
}

/** Kills every program that a test has left running, with the processes that it started. */
export function killLeftovers(): void {
  for (const { pid } of running) {
    if (pid === undefined) continue;
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {
      // It ended a moment ago.
    }
  }
}

/** Returns the environment of this process without the variables that a server reads, and with these. */
export function cleanEnvironment(variables: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(?:TABULARIUM|AZUR)/.test(name));
  return { ...Object.fromEntries(others), ...variables };
}

function watch(child: ChildProcess): RunningProgram {
  let output = '';
  let errors = '';
  const watchers = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const look of watchers) look();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, output, errors }));
    // Output that stays unread would keep the streams open.
    child.once('exit', () => child.stdout?.isPaused() && child.stdout.destroy());
  });
  // If the program cannot be started, `until` also rejects, so a test that ignores `ended` still fails.
  ended.catch(() => {});
  return {
    pid: child.pid,
    ended,
    output: () => output,
    kill: (signal) => child.kill(signal),
    leaveOutput(how) {
      if (how === 'closed') child.stdout?.destroy();
      else child.stdout?.pause();
    },
    endInput: () => child.stdin?.end(),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output);
          if (!found) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
        ended.then(
          (ending) => reject(new Error(`The program ended before it wrote ${pattern}: ${JSON.stringify(ending)}`)),
          reject,
        );
      }),
  };
}
