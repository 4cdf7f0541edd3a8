import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cleanEnvironment, killLeftovers, type RunningProgram, runProgram, serverFile } from './run-program.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const dropIn = join(repository, 'docker/azurite');

/** A program that the supervisor starts: a script for Node.js. */
export type Program = string;

/** Our own server, started as the drop-in starts it. */
export const tableProgram: Program = `import ${JSON.stringify(pathToFileURL(serverFile).href)};`;

/**
 * Writes a program that replaces a service of Azurite. It prints its arguments and the ready line of version 3.37, and
 * ends on a signal.
 */
export function standIn(title: string, before = ''): Program {
  return `
    for (const signal of ['SIGTERM', 'SIGINT']) {
      process.once(signal, () => { console.log('${title} was told'); process.exit(0); });
    }
    ${before}
    console.log('${title} words ' + process.argv.slice(2).join(' '));
    console.log('Azurite ${title} service successfully listens on http://127.0.0.1:1${title.length}');
    setInterval(() => {}, 1_000_000);`;
}

/**
 * Writes a program that replaces a service of Azurite and accepts only these flags. With any other flag it ends with
 * code 0, like the services of version 3.37.
 */
export function standInFor(title: string, flags: readonly string[]): Program {
  return standIn(
    title,
    `const unknown = process.argv.slice(2).find((word) => {
      return word.startsWith('-') && !${JSON.stringify(flags)}.includes(word.split('=')[0]);
    });
    if (unknown) {
      console.log('The option "' + unknown + '" is unknown.');
      process.exit(0);
    }`,
  );
}

/** A folder that replaces an installed drop-in: its programs, and a folder for data. */
export interface DropIn {
  readonly data: string;
  /** Starts `azurite` with these arguments. */
  start(words: readonly string[], environment?: Readonly<Record<string, string>>): RunningProgram;
  /** Ends the programs that still run, and removes the folder. */
  dispose(): Promise<void>;
}

/** Creates a folder with the drop-in, in which these programs replace those of services. */
export async function makeDropIn(programs: Readonly<Record<string, Program>>): Promise<DropIn> {
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-drop-in-'));
  const data = join(folder, 'data');
  for (const made of [data, join(folder, 'node_modules')]) await mkdir(made);
  await symlink(repository, join(folder, 'node_modules/tabularium'), 'dir');
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of await readdir(dropIn)) {
    if (name.endsWith('.mjs')) await cp(join(dropIn, name), join(folder, name));
  }
  for (const [name, program] of Object.entries(programs)) await writeFile(join(folder, `${name}.mjs`), program);
  return {
    data,
    start(words, environment = {}) {
      return runProgram([process.execPath, join(folder, 'azurite.mjs'), ...words], {
        cwd: data,
        environment: cleanEnvironment(environment),
      });
    },
    async dispose() {
      killLeftovers();
      await rm(folder, { recursive: true });
    },
  };
}

/** Resolves when the supervisor has written a line that contains this text. Rejects when it ends before. */
export function untilLine(supervised: RunningProgram, text: string): Promise<unknown> {
  return supervised.until(new RegExp(`${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}.*\n`));
}

/** Returns the whole lines that the supervisor has written so far. */
export function linesOf(supervised: RunningProgram): readonly string[] {
  return supervised.output().split('\n').slice(0, -1);
}
