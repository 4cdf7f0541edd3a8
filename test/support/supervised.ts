import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const supervisor = fileURLToPath(new URL('../../docker/azurite/azurite.mjs', import.meta.url));
const server = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A program on the PATH of the supervisor: a script for Node.js. */
export type Program = string;

/** Our own server, called as the image calls it. */
export const tableProgram: Program = `import ${JSON.stringify(pathToFileURL(server).href)};`;

/** Stands in for a service of Azurite: says its words and that it listens, in the words of 3.37, and ends when told. */
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
 * Stands in for a service of Azurite that takes these flags and no others: given another, it ends with 0, as the
 * services of 3.37 do.
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

/** A folder that stands for the image: programs on the PATH and a place for data. */
export interface Image {
  readonly data: string;
  /** Starts `azurite` with these words. */
  start(words: readonly string[], environment?: Readonly<Record<string, string>>): Supervised;
  /** Ends what still runs and takes the folder away. */
  dispose(): Promise<void>;
}

/** The supervisor in a process of its own. */
export interface Supervised {
  /** What it has written to standard output so far, by lines. */
  readonly lines: readonly string[];
  readonly process: ChildProcess;
  /** Resolves when a line contains this text; fails when the process ends before. */
  says(text: string): Promise<void>;
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Makes a folder with these programs; `node` runs them all, and the supervisor. */
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
  const running = new Set<ChildProcess>();
  return {
    data,
    start(words, environment = {}) {
      const child = spawn(join(bin, 'node'), [supervisor, ...words], {
        cwd: data,
        env: { PATH: [bin, '/usr/bin', '/bin'].join(delimiter), TABULARIUM_LOCATION: data, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, that what it has started can be ended with it.
        detached: true,
      });
      running.add(child);
      child.once('close', () => running.delete(child));
      return watch(child);
    },
    async dispose() {
      for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

function watch(child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }): Supervised {
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of watchers) look();
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, errors }));
  });
  return {
    lines,
    process: child,
    ended,
    says(text) {
      const said = new Promise<void>((resolve) => {
        const look = () => {
          if (lines.some((line) => line.includes(text))) resolve();
        };
        watchers.add(look);
        look();
      });
      const end = ended.then(({ code, errors: why }) => {
        throw new Error(`it ended with ${code} before it said "${text}": ${why}\n${lines.join('\n')}`);
      });
      return Promise.race([said, end]);
    },
  };
}
