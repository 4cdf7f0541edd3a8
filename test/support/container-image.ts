import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { killLeftovers, type RunningProgram, runProgram, serverFile } from './run-program.js';

const supervisor = fileURLToPath(new URL('../../docker/azurite/azurite.mjs', import.meta.url));

/** A program on the PATH of the supervisor: a script for Node.js. */
export type Program = string;

/** Our own server, started as the image starts it. */
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

/** A folder that replaces the image: programs on the PATH, and a folder for data. */
export interface Image {
  readonly data: string;
  /** Starts `azurite` with these arguments. */
  start(words: readonly string[], environment?: Readonly<Record<string, string>>): RunningProgram;
  /** Ends the programs that still run, and removes the folder. */
  dispose(): Promise<void>;
}

/** Creates a folder with these programs. `node` runs them and the supervisor. */
export async function makeImage(
  programs: Readonly<Record<string, Program | { readonly link: string }>>,
  node = process.execPath,
): Promise<Image> {
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-image-'));
  const [bin, data] = [join(folder, 'bin'), join(folder, 'data')];
  for (const made of [bin, data]) await mkdir(made);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(node, join(bin, 'node'));
  for (const [name, program] of Object.entries(programs)) {
    if (typeof program !== 'string') await symlink(program.link, join(bin, name));
    else {
      await writeFile(join(bin, name), `#!/usr/bin/env node\n${program}\n`);
      await chmod(join(bin, name), 0o755);
    }
  }
  return {
    data,
    start(words, environment = {}) {
      const path = [bin, '/usr/bin', '/bin'].join(delimiter);
      return runProgram([join(bin, 'node'), supervisor, ...words], {
        cwd: data,
        environment: { PATH: path, TABULARIUM_LOCATION: data, ...environment },
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
