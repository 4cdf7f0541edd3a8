import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../support/answers/answer.js';
import { expectTableError } from '../../support/answers/expect-error.js';
import type { ServiceClient } from '../../support/clients/service-client.js';
import { startAndFail, startChild } from '../../support/programs/child-server.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { killLeftovers } from '../../support/programs/run-program.js';
import { type MountedDisk, mountDisk, whyNoDisk } from '../../support/store/mounted-disk.js';

/** How often the disk becomes full and has space again. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_FULL_DISK_ROUNDS'] ?? 3);

/** A value of about 20 KiB that does not compress. */
const filler = Buffer.from(Array.from({ length: 15_000 }, (_, at) => (at * at * 7919) >> 7)).toString('base64');

/** Inserts rows in one table, each only once, and keeps the numbers of those that were acknowledged. */
class RowWriter {
  readonly acknowledged: number[] = [];
  readonly #client: ServiceClient;
  #next = 0;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  async insert(): Promise<Answer> {
    const row = this.#next++;
    const answer = await this.#client.post('/Kept', { PartitionKey: 'p', RowKey: `${row}`, N: row, Filler: filler });
    if (answer.status === 201) this.acknowledged.push(row);
    return answer;
  }

  /** Inserts rows, four at a time, until the disk is full. Returns the rejections. */
  async fillDisk(): Promise<readonly Answer[]> {
    for (;;) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => this.insert()));
      const rejected = answers.filter(({ status }) => status !== 201);
      if (rejected.length > 0) return rejected;
    }
  }
}

/**
 * Calls a server whose disk is full, until it rejects. Returns the rejection.
 *
 * The engine compacts when it wants, and a compaction that ends frees space. So the disk is filled again before each call.
 */
async function untilRejected<T extends { readonly status: number }>(
  disk: MountedDisk,
  call: () => Promise<T>,
): Promise<T> {
  for (;;) {
    disk.leaveFree(0);
    const answer = await call();
    if (answer.status >= 400) return answer;
  }
}

async function expectRows(client: ServiceClient, rows: readonly number[]): Promise<void> {
  for (const row of rows) {
    const answer = await client.get(`/Kept(PartitionKey='p',RowKey='${row}')`);
    expect(answer.json).toMatchObject({ N: row, Filler: filler });
  }
}

async function healthOf(url: string) {
  const response = await fetch(`${url}/_tabularium/health`);
  return { status: response.status, body: await response.json() };
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
    'rejects writes, still reads, writes again when space is free, and loses nothing (%s)',
    { timeout: 600_000 + rounds * 30_000 },
    async (durability) => {
      const debug = join(logs, 'log');
      const options = { location: disk.folder, flags: ['--debug', debug, '--durability', durability] };
      const server = await startChild(options);
      const client = server.client();
      const tables: string[] = [];
      const createTable = async (name: string) => {
        const answer = await client.post('/Tables', { TableName: name });
        if (answer.status === 201) tables.push(name);
        return answer;
      };
      expect((await createTable('Kept')).status).toBe(201);
      const rows = new RowWriter(client);
      for (let round = 0; round < rounds; round++) {
        disk.leaveFree(2 * 1024);
        for (const rejection of await rows.fillDisk()) expectTableError(rejection, 500, 'InternalError');
        let names = 0;
        const another = await untilRejected(disk, () => createTable(`Another${round}x${names++}`));
        expectTableError(another, 500, 'InternalError');
        await expectRows(client, rows.acknowledged);
        expect(await untilRejected(disk, () => healthOf(server.url))).toEqual({
          status: 503,
          body: { status: 'writes-fail' },
        });
        expectTableError(await untilRejected(disk, () => rows.insert()), 500, 'InternalError');
        // Enough for the engine to write all its data once more.
        disk.leaveFree(64 * 1024);
        // The server must become ready without a write, because clients may send none to a server that is not ready.
        expect(await healthOf(server.url)).toEqual({ status: 200, body: { status: 'ready' } });
        expect((await rows.insert()).status).toBe(201);
        await expectRows(client, rows.acknowledged);
      }
      // The server may answer before its log is written.
      await expect
        .poll(() => readFileSync(debug, 'utf8'))
        .toMatch(
          /cannot be written: the disk is full\. Reads continue; writes continue when at least [\d.]+ MiB are free, because /,
        );
      await server.stop('SIGKILL');
      const again = await startChild(options);
      await expectRows(again.client(), rows.acknowledged);
      expect((await again.client().get('/Tables')).rows.map(({ TableName }) => TableName)).toEqual(tables.sort());
      await again.stop('SIGTERM');
    },
  );

  it.each([
    ['PUT', 'snapshots/full'],
    ['POST', 'branches'],
  ])('answers %s %s with the reason', async (method, path) => {
    const server = await startChild({ location: disk.folder });
    const client = server.client();
    await client.post('/Tables', { TableName: 'Kept' });
    await new RowWriter(client).fillDisk();
    const call = async () => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${server.url}/_tabularium/${path}`, { method, headers, body: '{}' });
      return { status: answer.status, body: await answer.json() };
    };

    expect(await untilRejected(disk, call)).toEqual({
      status: 500,
      body: { error: expect.stringMatching(/^The server could not do this: .*disk is full/) },
    });
    await server.stop('SIGKILL');
  });

  // The data is smaller than the write buffer, so it stays in the log, and the engine has nothing to compact.
  it('writes again as soon as the amount of space in its message is free, and not before', async () => {
    const debug = join(logs, 'log');
    const server = await startChild({ location: disk.folder, flags: ['--debug', debug] });
    const client = server.client();
    await client.post('/Tables', { TableName: 'Kept' });
    const rows = new RowWriter(client);
    await rows.fillDisk();
    const amounts = () => [...readFileSync(debug, 'utf8').matchAll(/continue when at least ([\d.]+) MiB are free/g)];
    const rejectAndRead = async () => {
      expectTableError(await untilRejected(disk, () => rows.insert()), 500, 'InternalError');
      return amounts();
    };
    // The server may answer before its log is written.
    await expect.poll(rejectAndRead).not.toEqual([]);
    const wantedKib = 1024 * Number(amounts().at(-1)?.[1]);

    disk.leaveFree(Math.floor(wantedKib / 2));
    expectTableError(await rows.insert(), 500, 'InternalError');
    disk.leaveFree(Math.ceil(wantedKib));
    expect((await rows.insert()).status).toBe(201);
    await expectRows(client, rows.acknowledged);
    await server.stop('SIGTERM');
  });

  it('does not open without free space, and opens with the amount in its message', async () => {
    const options = { location: disk.folder };
    const server = await startChild(options);
    const client = server.client();
    await client.post('/Tables', { TableName: 'Kept' });
    const rows = new RowWriter(client);
    await rows.fillDisk();
    await server.stop('SIGKILL');

    disk.leaveFree(0);
    const { errors } = await startAndFail(options);
    const [, wantedMib] =
      /cannot be opened: the disk is full\. It opens when at least ([\d.]+) MiB are free, because .*\n$/.exec(errors) ??
      [];
    expect(wantedMib, errors).toBeDefined();

    disk.leaveFree(Math.ceil(1024 * Number(wantedMib)));
    const again = await startChild(options);
    expect((await again.client().post('/Kept', { PartitionKey: 'p', RowKey: 'later' })).status).toBe(201);
    await expectRows(again.client(), rows.acknowledged);
    await again.stop('SIGTERM');
  });
});
