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

describe('azurite, of the image with all three services,', () => {
  afterEach(() => image.dispose());

  it('says of each service that it listens, in the words that test libraries wait for', async () => {
    const supervised = await startWith(tablePort, { 'azurite-table': tableProgram });
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(readyLines(linesOf(supervised))).toEqual([
      'Azurite Blob service is successfully listening at http://127.0.0.1:14',
      'Azurite Queue service is successfully listening at http://127.0.0.1:15',
      expect.stringMatching(/^Azurite Table service is successfully listening at http:\/\/127\.0\.0\.1:\d+$/),
    ]);
  });

  it('says it of tables last, however late the others are', async () => {
    // Some libraries wait for that line alone and then use the other services.
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

  it('gives each service the flags it knows', async () => {
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

  it('keeps what the services keep where the container says, unless the command line does', async () => {
    const supervised = await startWith([]);
    await untilLine(supervised, 'Blob words');
    expect(linesOf(supervised).join('\n')).toContain(`--location ${image.data} --disableTelemetry`);
    const elsewhere = image.start(['-l', '/elsewhere', '--disableTelemetry']);
    await untilLine(elsewhere, 'Queue words');
    expect(linesOf(elsewhere).join('\n')).toContain('Queue words -l /elsewhere --disableTelemetry --queueHost 0.0.0.0');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on, waits for all, and ends well', async (signal) => {
    const supervised = await startWith([]);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    supervised.kill(signal);
    expect(await supervised.ended).toMatchObject({ code: 0, errors: '' });
    for (const title of ['Blob', 'Queue', 'Table']) expect(linesOf(supervised)).toContain(`${title} was told`);
  });

  it('ends with the code of a service that ends, and so do the others', async () => {
    const supervised = await startWith([], { 'azurite-queue': 'process.exitCode = 7;' });
    const { code, errors } = await supervised.ended;
    expect(code).toBe(7);
    expect(errors).toContain('The queue service ended with 7');
  });

  it('ends with 1 when a service ends with 0, since a service is to go on', async () => {
    const supervised = await startWith([], { 'azurite-queue': 'process.exitCode = 0;' });
    const { code, errors } = await supervised.ended;
    expect(code).toBe(1);
    expect(errors).toContain('The queue service ended with 0');
  });

  it('does not end well when it is told to and a service fails to', async () => {
    const failing =
      "process.on('SIGTERM', () => process.exit(5)); console.log('Blob waits'); setInterval(() => {}, 1e6);";
    const supervised = await startWith([], { 'azurite-blob': failing });
    await untilLine(supervised, 'Blob waits');
    supervised.kill('SIGTERM');
    expect((await supervised.ended).code).toBe(5);
  });

  it('ends with the code of a service that is killed, as shells write it', async () => {
    const supervised = await startWith([], { 'azurite-blob': "process.kill(process.pid, 'SIGKILL');" });
    expect((await supervised.ended).code).toBe(128 + 9);
  });

  it('says which program is missing', async () => {
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
  ])('leaves the question %s to our own server', async (word, answer) => {
    const supervised = await startWith([word], { 'azurite-table': tableProgram });
    expect(await supervised.ended).toMatchObject({ code: 0, errors: '' });
    expect(linesOf(supervised).join('\n')).toMatch(answer);
  });

  it('takes a word of a question for a value where it is one', async () => {
    const supervised = await startWith(['--location', 'version']);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    expect(linesOf(supervised)).toContain('Table words --location version');
  });
});

it('the supervisor is typed', async () => {
  const [tsc, project] = ['../../node_modules/.bin/tsc', '../../docker/azurite/tsconfig.json'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ) as [string, string];
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', project]).catch((error) => error);
  expect(stdout).toBe('');
});
