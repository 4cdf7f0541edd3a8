import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Image,
  linesOf,
  makeImage,
  type Program,
  standIn,
  tableProgram,
  untilLine,
} from '../support/container-image.js';

const standIns = { 'azurite-blob': standIn('Blob'), 'azurite-queue': standIn('Queue') };
const tablePort = ['--tablePort', '0'];

let image: Image;

async function startWith(words: readonly string[], programs: Readonly<Record<string, Program>> = {}) {
  image = await makeImage({ ...standIns, 'azurite-table': standIn('Table'), ...programs });
  return image.start(words);
}

const readyLines = (lines: readonly string[]) => lines.filter((line) => line.includes('is successfully listening at'));

describe('The azurite command of the image with all three services', () => {
  afterEach(() => image.dispose());

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
      const { TABULARIUM_LOCATION: folder } = process.env;
      await new Promise((resolve) => {
        const look = () => existsSync(folder + '/table-listens') && resolve();
        watch(folder, look);
        look();
      });`;
    const mark = "(await import('node:fs')).writeFileSync(process.env.TABULARIUM_LOCATION + '/table-listens', '');";
    const supervised = await startWith([], {
      'azurite-blob': standIn('Blob', late),
      'azurite-table': `${standIn('Table')}\n${mark}`,
    });
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(readyLines(linesOf(supervised)).map((line) => line.split(' ')[1])).toEqual(['Blob', 'Queue', 'Table']);
  });

  it('passes each service the flags that it accepts', async () => {
    const words = ['--blobHost', '0.0.0.0', '--queuePort=0', '--tableHost', '::', '--cacheMb', '8', '-L'];
    const supervised = await startWith([...words, '--inMemoryPersistence', '--extentMemoryLimit', '64.000000']);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    const wordsOf = (title: string) => linesOf(supervised).find((line) => line.startsWith(`${title} words`));
    const shared = '-L --inMemoryPersistence';
    expect(wordsOf('Blob')).toBe(
      `Blob words --blobHost 0.0.0.0 ${shared} --extentMemoryLimit 64.000000 --disableTelemetry`,
    );
    expect(wordsOf('Queue')).toBe(
      `Queue words --queuePort=0 ${shared} --extentMemoryLimit 64.000000 --queueHost 0.0.0.0 --disableTelemetry`,
    );
    expect(wordsOf('Table')).toBe(`Table words --tableHost :: --cacheMb 8 ${shared}`);
  });

  it('stores data in the location of the container, unless the command line has one', async () => {
    const supervised = await startWith([]);
    await untilLine(supervised, 'Blob words');
    expect(linesOf(supervised).join('\n')).toContain(`--location ${image.data} --disableTelemetry`);
    const elsewhere = image.start(['-l', '/elsewhere', '--disableTelemetry']);
    await untilLine(elsewhere, 'Queue words');
    expect(linesOf(elsewhere).join('\n')).toContain('Queue words -l /elsewhere --disableTelemetry --queueHost 0.0.0.0');
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

  it('names the program that is missing', async () => {
    image = await makeImage({ 'azurite-blob': standIn('Blob'), 'azurite-table': standIn('Table') });
    const { code, errors } = await image.start([]).ended;
    expect(code).toBe(127);
    expect(errors).toContain('azurite-queue cannot be started');
  });

  it.each([
    ['--help', /--tablePort/],
    ['help', /--tablePort/],
    ['-h', /--tablePort/],
    ['--version', /^\d+\.\d+\.\d+/],
    ['version', /^\d+\.\d+\.\d+/],
    ['-v', /^\d+\.\d+\.\d+/],
  ])('lets the table service answer %s', async (word, answer) => {
    const supervised = await startWith([word], { 'azurite-table': tableProgram });
    expect(await supervised.ended).toMatchObject({ code: 0, errors: '' });
    expect(linesOf(supervised).join('\n')).toMatch(answer);
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
