import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** How a program ended, and all it said. */
export interface Ending {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A program that runs. */
export interface Program {
  /** Resolves to the first match within the output; rejects when the program ends without one. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  /** Goes away from standard output without a word, or stays and never reads again. */
  leaveOutput(how: 'closed' | 'unread'): void;
  readonly ended: Promise<Ending>;
}

/** A folder to run programs in, where links call the program by other names. */
export interface Place {
  readonly folder: string;
  /** Starts the program under one of its names. Variables of Tabularium and Azurite are those given, and no others. */
  start(name: string, args: readonly string[], variables?: Readonly<Record<string, string>>): Program;
  /** Kills what still runs and takes the folder away. */
  clear(): Promise<void>;
}

/** Makes a folder with a link to the program for each name. */
export async function makePlace(...names: readonly string[]): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-dropin-'));
  for (const name of names) await symlink(main, join(folder, name));
  const running = new Set<ChildProcess>();
  return {
    folder,
    start(name, args, variables = {}) {
      const env = { ...withoutOurs(process.env), ...variables };
      const child = spawn(process.execPath, [join(folder, name), ...args], { cwd: folder, env, stdio: 'pipe' });
      running.add(child);
      child.once('close', () => running.delete(child));
      return watch(child);
    },
    async clear() {
      for (const child of running) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(?:TABULARIUM|AZUR)/.test(name)));
}

function watch(child: ChildProcess): Program {
  let output = '';
  let errors = '';
  let hear = () => {};
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    output += part;
    hear();
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code) => resolve({ code, output, errors }));
    // What is left unread would keep the streams open for ever.
    child.once('exit', () => child.stdout?.isPaused() && child.stdout.destroy());
  });
  return {
    ended,
    kill: (signal) => child.kill(signal),
    leaveOutput(how) {
      if (how === 'closed') child.stdout?.destroy();
      else child.stdout?.pause();
    },
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output);
          if (found) resolve(found);
        };
        hear = look;
        look();
        void ended.then((ending) => reject(new Error(`the program ended: ${JSON.stringify(ending)}`)));
      }),
  };
}
