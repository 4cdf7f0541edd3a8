import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { ownVersion } from '../../src/version.js';
import {
  type DropIn,
  linesOf,
  makeDropIn,
  type Program,
  standIn,
  tableProgram,
  untilLine,
} from '../support/programs/drop-in.js';
import { runProgram } from '../support/programs/run-program.js';

const standIns = { 'azurite-blob': standIn('Blob'), 'azurite-queue': standIn('Queue') };
const version = ownVersion();
const tablePort = ['--tablePort', '0'];

let dropIn: DropIn;

async function startWith(words: readonly string[], programs: Readonly<Record<string, Program>> = {}) {
  dropIn = await makeDropIn({ ...standIns, 'azurite-table': standIn('Table'), ...programs });
  return dropIn.start(words);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const readyLines = (lines: readonly string[]) => lines.filter((line) => line.includes('is successfully listening at'));

describe('A service of Azurite in the drop-in', () => {
  afterEach(() => dropIn.dispose());

  it('closes its data if a signal arrives before Azurite listens to signals', async () => {
    dropIn = await makeDropIn({});
    const folder = dirname(dropIn.data);
    const early = `exports.blob = () => {
      process.kill(process.pid, 'SIGTERM');
      setTimeout(() => process.once('SIGTERM', () => { console.log('Blob was told'); process.exit(0); }), 50);
    };`;
    await writeFile(join(folder, 'services.cjs'), early);
    const service = runProgram([process.execPath, join(folder, 'azurite-blob.mjs')], { cwd: dropIn.data });
    expect(await service.ended).toMatchObject({ code: 0, errors: '' });
    expect(linesOf(service)).toContain('Blob was told');
  });
});

describe('The azurite command of the drop-in', () => {
  afterEach(() => dropIn.dispose());

  it('prints a ready line for each service, in the words that test libraries wait for', async () => {
    const supervised = await startWith(tablePort, { 'azurite-table': tableProgram });
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(readyLines(linesOf(supervised))).toEqual([
      'Azurite Blob service is successfully listening at http://127.0.0.1:14',
      'Azurite Queue service is successfully listening at http://127.0.0.1:15',
      expect.stringMatching(/^Azurite Table service is successfully listening at http:\/\/127\.0\.0\.1:\d+$/),
    ]);
  });

  it('prints the line for tables last, even if another service is slower', async () => {
    // Some libraries wait only for that line and then use the other services.
    const late = `
      const { existsSync, watch } = await import('node:fs');
      const folder = process.cwd();
      await new Promise((resolve) => {
        const look = () => existsSync(folder + '/table-listens') && resolve();
        watch(folder, look);
        look();
      });`;
    const mark = "(await import('node:fs')).writeFileSync('table-listens', '');";
    const supervised = await startWith([], {
      'azurite-queue': standIn('Queue', late),
      'azurite-table': `${standIn('Table')}\n${mark}`,
    });
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(readyLines(linesOf(supervised)).map((line) => line.split(' ')[1])).toEqual(['Blob', 'Queue', 'Table']);
  });

  it('starts blobs when queues and tables are ready, because many tools wait for blobs alone', async () => {
    const slow = (name: string) => `
      const end = Date.now() + 500;
      while (Date.now() < end);
      (await import('node:fs')).writeFileSync('${name}-listens', '');`;
    const supervised = await startWith([], {
      'azurite-blob': standIn('Blob', "console.log('Blob sees', (await import('node:fs')).readdirSync('.').join());"),
      'azurite-queue': standIn('Queue', slow('queue')),
      'azurite-table': standIn('Table', slow('table')),
    });
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    const seen = linesOf(supervised).find((line) => line.startsWith('Blob sees'));
    expect(seen).toMatch(/queue-listens.*table-listens/);
  });

  it('passes each service the flags that it accepts', async () => {
    const words = ['--blobHost', '0.0.0.0', '--queuePort=0', '--tableHost', '::', '--cacheMb', '8', '-L'];
    const supervised = await startWith([...words, '--inMemoryPersistence', '--extentMemoryLimit', '64.000000']);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    const wordsOf = (title: string) => linesOf(supervised).find((line) => line.startsWith(`${title} words`));
    const shared = '-L --inMemoryPersistence';
    expect(wordsOf('Blob')).toBe(`Blob words --blobHost 0.0.0.0 ${shared} --extentMemoryLimit 64.000000`);
    expect(wordsOf('Queue')).toBe(`Queue words --queuePort=0 ${shared} --extentMemoryLimit 64.000000`);
    expect(wordsOf('Table')).toBe(`Table words --tableHost :: --cacheMb 8 ${shared}`);
  });

  it('passes no address and no folder by default, so that Azurite and Tabularium use theirs: loopback and this folder', async () => {
    const supervised = await startWith([]);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(linesOf(supervised).filter((line) => line.includes(' words'))).toEqual(
      expect.arrayContaining(['Blob words ', 'Queue words ', 'Table words ']),
    );
  });

  it('applies the variables that the image sets to all services, unless the command line has the flags', async () => {
    const image = { TABULARIUM_TABLE_HOST: '0.0.0.0', TABULARIUM_LOCATION: '/data' };
    dropIn = await makeDropIn({ ...standIns, 'azurite-table': standIn('Table') });
    const supervised = dropIn.start(['--blobHost', '127.0.0.1'], image);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(linesOf(supervised)).toContain('Blob words --blobHost 127.0.0.1 --location /data');
    expect(linesOf(supervised)).toContain('Queue words --queueHost 0.0.0.0 --location /data');
    const elsewhere = dropIn.start(['-l', '/elsewhere'], image);
    await untilLine(elsewhere, 'Azurite Table service is successfully listening');
    expect(linesOf(elsewhere)).toContain('Queue words -l /elsewhere --queueHost 0.0.0.0');
  });

  it('prints the starting lines of azurite, with a scheme', async () => {
    const starting = "console.log('Azurite Blob service is starting on 127.0.0.1:10000');";
    const supervised = await startWith(['--cert', 'c', '--key', 'k'], { 'azurite-blob': standIn('Blob', starting) });
    await untilLine(supervised, 'Azurite Blob service is starting at https://127.0.0.1:10000');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('forwards %s, waits for all services, and ends with 0', async (signal) => {
    const supervised = await startWith([]);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    supervised.kill(signal);
    expect(await supervised.ended).toMatchObject({ code: 0, errors: '' });
    for (const title of ['Blob', 'Queue', 'Table']) expect(linesOf(supervised)).toContain(`${title} was told`);
  });

  it('ends with the code of the first service that ends, and stops the others', async () => {
    const supervised = await startWith([], { 'azurite-queue': 'process.exitCode = 7;' });
    const { code, errors } = await supervised.ended;
    expect(code).toBe(7);
    expect(errors).toContain('The queue service ended with 7');
  });

  it('ends with 1 when a service ends with 0, because no service should end by itself', async () => {
    const supervised = await startWith([], { 'azurite-queue': 'process.exitCode = 0;' });
    const { code, errors } = await supervised.ended;
    expect(code).toBe(1);
    expect(errors).toContain('The queue service ended with 0');
  });

  it('ends with the code of a service that fails to stop after a signal', async () => {
    const failing =
      "process.on('SIGTERM', () => process.exit(5)); console.log('Blob waits'); setInterval(() => {}, 1e6);";
    const supervised = await startWith([], { 'azurite-blob': failing });
    await untilLine(supervised, 'Blob waits');
    supervised.kill('SIGTERM');
    expect((await supervised.ended).code).toBe(5);
  });

  it('ends with 128 plus the signal number when a service is killed', async () => {
    const supervised = await startWith([], { 'azurite-blob': "process.kill(process.pid, 'SIGKILL');" });
    expect((await supervised.ended).code).toBe(128 + 9);
  });

  it.runIf(process.platform !== 'win32')(
    'keeps the signals of a terminal from the services, which get each once',
    async () => {
      // Azurite's services handle a signal once. A second one kills them before they have written their data.
      const supervised = await startWith([], {
        'azurite-blob': standIn('Blob', "console.log('Blob is ' + process.pid);"),
      });
      await untilLine(supervised, 'Azurite Table service is successfully listening');
      const pid = Number(/Blob is (\d+)/.exec(supervised.output())?.[1]);
      // This throws unless the process leads a group of its own, which a terminal does not send signals to.
      expect(process.kill(-pid, 0)).toBe(true);
      process.kill(-(supervised.pid ?? 0), 'SIGINT');
      expect((await supervised.ended).code).toBe(0);
    },
  );

  it('leaves no service behind when it is killed', async () => {
    const noting = (title: string) =>
      standIn(
        title,
        `const { writeFileSync } = await import('node:fs');
        writeFileSync('${title}.pid', String(process.pid));
        process.prependOnceListener('SIGTERM', () => writeFileSync('${title}.closed', ''));`,
      );
    const titles = ['Blob', 'Queue', 'Table'];
    const supervised = await startWith(
      [],
      Object.fromEntries(titles.map((t) => [`azurite-${t.toLowerCase()}`, noting(t)])),
    );
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    const pids = titles.map((title) => Number(readFileSync(join(dropIn.data, `${title}.pid`), 'utf8')));
    supervised.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    for (const title of titles) expect(existsSync(join(dropIn.data, `${title}.closed`)), title).toBe(true);
  });

  it('leaves no service behind that is still loading when it is killed', async () => {
    const loading = "require('node:fs').writeFileSync('loading', String(process.pid)); setInterval(() => {}, 1e6);";
    const supervised = await startWith([], {
      'azurite-blob': `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url); ${loading}`,
    });
    await expect.poll(() => existsSync(join(dropIn.data, 'loading'))).toBe(true);
    supervised.kill('SIGKILL');
    const pid = Number(readFileSync(join(dropIn.data, 'loading'), 'utf8'));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('leaves no service behind that has not begun to load when it ends', async () => {
    dropIn = await makeDropIn({ 'azurite-blob': standIn('Blob') });
    const [preload, program] = ['end-with-parent.mjs', 'azurite-blob.mjs'].map((name) => join(dropIn.data, '..', name));
    const service = spawn(process.execPath, ['--import', pathToFileURL(preload ?? '').href, program ?? ''], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    service.disconnect();
    await expect.poll(() => service.exitCode).toBe(0);
  });

  it.each([
    ['--help', /--tableHost/],
    ['help', /--blobPort/],
    ['-h', /--queuePort/],
    ['--version', new RegExp(`^${version}$`)],
    ['version', new RegExp(`^${version}$`)],
    ['-v', new RegExp(`^${version}$`)],
  ])('answers %s without starting a service', async (word, answer) => {
    const supervised = await startWith([word]);
    expect(await supervised.ended).toMatchObject({ code: 0, errors: '' });
    expect(linesOf(supervised).join('\n')).toMatch(answer);
  });

  it('lists every flag of Azurite in its help', async () => {
    const supervised = await startWith(['--help']);
    const { output } = await supervised.ended;
    const names = ['blob', 'queue', 'table'].flatMap((name) => [`--${name}Host`, `--${name}Port`]);
    for (const name of [...names, '--location', '--loose', '--cert', '--oauth']) expect(output).toContain(name);
  });

  it('ignores a word that is not a flag, as Azurite does', async () => {
    const supervised = await startWith(['start', '--silent']);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(linesOf(supervised)).toContain("'start' is not an option; it has no effect.");
  });

  it('reads a word such as version after a flag as its value', async () => {
    const supervised = await startWith(['--location', 'version']);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(linesOf(supervised)).toContain('Table words --location version');
  });
});

it('The supervisor passes the type checker', async () => {
  const [tsc, project] = ['../../node_modules/.bin/tsc', '../../docker/azurite/tsconfig.json'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ) as [string, string];
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', project]).catch((error) => error);
  expect(stdout).toBe('');
});
