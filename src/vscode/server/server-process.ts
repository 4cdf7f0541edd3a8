import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { readLines } from '../../client/read-lines.js';

/** Time limit for a server to close its data when it is stopped. Unit: milliseconds. */
const stopMs = 8000;

/** How a server is started. */
export interface ServerStart {
  /** The path of `run-server.mjs`. */
  readonly program: string;
  /** The options of the command `start`. */
  readonly words: readonly string[];
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Variables besides those of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Gets each line that the server prints. */
  readonly log: (line: string) => void;
}

/** A server in a process of its own, which ends with this process. */
export interface ServerProcess {
  readonly url: string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Stops the server, and resolves when it has closed its data. */
  stop(): Promise<void>;
}

/** Starts a server on the Node.js of this process. Resolves when it listens. Errors: Error with the last line that it printed. */
export async function startProcess({ program, words, folder, environment, log }: ServerStart): Promise<ServerProcess> {
  const child = fork(program, ['start', ...words], {
    cwd: folder,
    silent: true,
    // Desktop editors are programs of Electron, which are Node.js only if this says so.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', ...environment },
  });
  const ended = once(child, 'close').then(() => {});
  let last = 'The server ended before it listened.';
  const url = await new Promise<string>((resolve, reject) => {
    const read = async (output: Readable) => {
      for await (const line of readLines(output.setEncoding('utf8'))) {
        // Below an error are the functions that it passed.
        if (!/^\s/.test(line)) last = line;
        log(line);
        const [, found] = /^Tabularium Table service is successfully listening at (\S+)$/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      }
    };
    const outputs = [child.stdout, child.stderr].flatMap((one) => (one ? [read(one)] : []));
    // The process has ended, but what it printed may not be read yet.
    void ended.then(() => Promise.allSettled(outputs)).then(() => reject(new Error(last)), reject);
  });
  const stop = async () => {
    if (child.connected) child.send('shutdown');
    const hung = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(hung);
  };
  return { url, ended, stop };
}
