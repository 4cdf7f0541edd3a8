import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAndFail, startChild } from '../support/child-server.js';
import { expectTableError } from '../support/expect-error.js';
import { makeFolder } from '../support/make-folder.js';
import { type MountedDisk, mountDisk, whyNoDisk } from '../support/mounted-disk.js';
import { killLeftovers } from '../support/run-program.js';
import type { ServiceClient } from '../support/service-client.js';

/** A value of about 20 KiB that does not compress. */
const filler = Buffer.from(Array.from({ length: 15_000 }, (_, at) => (at * at * 7919) >> 7)).toString('base64');

/** Writes rows, four at a time, until a write is refused. Returns the acknowledged rows and the refusals. */
async function fillDisk(client: ServiceClient, from: number) {
  const acknowledged: number[] = [];
  for (let row = from; row < from + 2000; row += 4) {
    const answers = await Promise.all([0, 1, 2, 3].map((at) => insert(client, row + at)));
    answers.forEach(({ status }, at) => {
      if (status === 201) acknowledged.push(row + at);
    });
    const refused = answers.filter(({ status }) => status !== 201);
    if (refused.length > 0) return { acknowledged, refused };
  }
  throw new Error('the disk was never full');
}

function insert(client: ServiceClient, row: number) {
  return client.post('/Kept', { PartitionKey: 'p', RowKey: `${row}`, N: row, Filler: filler });
}

async function expectRows(client: ServiceClient, rows: readonly number[]): Promise<void> {
  for (const row of rows) {
    const answer = await client.get(`/Kept(PartitionKey='p',RowKey='${row}')`);
    expect(answer.json).toMatchObject({ N: row, Filler: filler });
  }
}

/** Waits until the engine has compacted what it can: the disk holds the rows once, and little else. */
async function waitForCompaction({ folder }: MountedDisk, rows: number): Promise<void> {
  const usedBytes = () => {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return (blocks - bavail) * bsize;
  };
  await expect.poll(usedBytes).toBeLessThan(100_000 + rows * 21_000);
}

/** Takes this much space of the disk, or all that is left: a compaction may have begun again. */
function takeSpace(file: string, bytes: number): void {
  try {
    writeFileSync(file, Buffer.alloc(bytes));
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'ENOSPC') throw failure;
  }
}

async function healthOf(url: string): Promise<readonly [status: number, body: unknown]> {
  const response = await fetch(`${url}/_tabularium/health`);
  return [response.status, await response.json()];
}

describe.skipIf(whyNoDisk)(`A server whose disk is full${whyNoDisk}`, () => {
  let disk: MountedDisk;
  let logs: string;
  beforeEach(async () => {
    disk = await mountDisk(8 * 1024);
    logs = await makeFolder();
  });
  afterEach(async () => {
    killLeftovers();
    disk.unmount();
    await rm(logs, { recursive: true });
  });

  it.each(['os', 'fsync'])(
    'refuses writes, still reads, writes again when space is free, and loses nothing (%s)',
    async (durability) => {
      const ballast = join(disk.folder, 'ballast');
      const rest = join(disk.folder, 'rest');
      const debug = join(logs, 'log');
      const options = { location: disk.folder, flags: ['--debug', debug, '--durability', durability] };
      const server = await startChild(options);
      const client = server.client();
      await client.post('/Tables', { TableName: 'Kept' });
      const kept: number[] = [];
      for (let round = 0; round < 3; round++) {
        await waitForCompaction(disk, kept.length);
        takeSpace(ballast, (5 - round) * 1024 * 1024);
        const { acknowledged, refused } = await fillDisk(client, 10_000 * round);
        kept.push(...acknowledged);
        for (const answer of refused) expectTableError(answer, 500, 'InternalError');
        // A compaction that ends may have freed space meanwhile.
        takeSpace(rest, 8 * 1024 * 1024);
        expectTableError(await insert(client, 10_000 * round + 5001), 500, 'InternalError');
        expectTableError(await client.post('/Tables', { TableName: 'Another' }), 500, 'InternalError');
        await expectRows(client, kept);
        expect(await healthOf(server.url)).toEqual([503, { status: 'writes-fail' }]);
        rmSync(ballast);
        rmSync(rest);
        // The server must become ready without a write, because clients may send none to a server that is not ready.
        expect(await healthOf(server.url)).toEqual([200, { status: 'ready' }]);
        expect((await insert(client, 10_000 * round + 5000)).status).toBe(201);
        kept.push(10_000 * round + 5000);
        await expectRows(client, kept);
      }
      await server.stop('SIGKILL');
      const again = await startChild(options);
      await expectRows(again.client(), kept);
      expect((await again.client().get('/Tables')).rows).toHaveLength(1);
      await again.stop('SIGTERM');
      expect(readFileSync(debug, 'utf8')).toMatch(
        /cannot be written: the disk is full\. Reads continue; writes continue when at least [\d.]+ MiB are free, because /,
      );
    },
  );

  it('writes again as soon as the amount of space in its message is free, and does not open before', async () => {
    const ballast = join(disk.folder, 'ballast');
    const debug = join(logs, 'log');
    const options = { location: disk.folder, flags: ['--debug', debug] };
    const server = await startChild(options);
    const client = server.client();
    await client.post('/Tables', { TableName: 'Kept' });
    const { acknowledged } = await fillDisk(client, 0);
    writeFileSync(ballast, '');
    expectTableError(await insert(client, 5000), 500, 'InternalError');
    // The server may answer before its log is written.
    const amount = /continue when at least ([\d.]+) MiB are free/;
    await expect.poll(() => readFileSync(debug, 'utf8')).toMatch(amount);
    const [, wanted = ''] = amount.exec(readFileSync(debug, 'utf8')) ?? [];

    const { blocks, bavail, bsize } = statfsSync(disk.folder);
    const used = ((blocks - bavail) * bsize) / 1024;
    disk.resize(used + 1024);
    expectTableError(await insert(client, 5000), 500, 'InternalError');
    await server.stop('SIGKILL');
    const { errors } = await startAndFail(options);
    expect(errors).toMatch(
      /cannot be opened: the disk is full\. It opens when at least [\d.]+ MiB are free, because .*\n$/,
    );

    disk.resize(used + Math.ceil(1024 * Number(wanted)));
    const again = await startChild(options);
    expect((await insert(again.client(), 5000)).status).toBe(201);
    await expectRows(again.client(), acknowledged);
    await again.stop('SIGTERM');
  });
});
