import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../src/clock/clock.js';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { openStore } from '../../src/store/open-store.js';
import { makeFolder } from '../support/programs/make-folder.js';

const data = '{"$table":"Orders"}\n{"PartitionKey":"p","RowKey":"r"}\n';

describe('The data of an instance', () => {
  let folder: string;
  let instance: Tabularium;
  beforeEach(async () => {
    folder = await makeFolder();
    instance = await startTabularium();
  });
  afterEach(async () => {
    await instance.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is imported from pieces of text and exported as a stream', async () => {
    expect(await instance.import([data.slice(0, 5), Buffer.from(data.slice(5))])).toMatchObject({ rows: 1, tables: 1 });
    expect(await text(await instance.export({ table: 'Orders' }))).toBe(data);
  });

  it('is imported from files and exported to them', async () => {
    const path = join(folder, 'all.ndjson');
    await writeFile(path, `${data}{"PartitionKey":"a/b","RowKey":"r"}\n`);
    expect(await instance.import(path)).toMatchObject({
      rows: 1,
      rejected: [{ file: path, line: 3, code: 'OutOfRangeInput' }],
    });
    await instance.exportTo(join(folder, 'exported'));
    expect(await readFile(join(folder, 'exported', 'Orders.ndjson'), 'utf8')).toBe(data);
    expect(await instance.import(join(folder, 'exported'), { mode: 'replace', strict: true })).toMatchObject({
      rows: 1,
    });
  });

  it('stays as it was after an error', async () => {
    await expect(instance.import(join(folder, 'missing.ndjson'))).rejects.toThrow('No such file or folder');
    await expect(instance.import([data, data], { strict: true })).rejects.toThrow('Nothing was imported.');
    for (const ask of [instance.export({ filter: 'N gt' }), instance.exportTo(join(folder, 'all'), { filter: 'N gt' })])
      await expect(ask).rejects.toThrow("Expression expected at position 4 in 'N gt'.");
    await expect(instance.exportTo(folder, { table: 'Orders' })).rejects.toThrow('There is no table Orders.');
    await writeFile(join(folder, 'own.txt'), '');
    await expect(instance.exportTo(folder)).rejects.toThrow('own.txt exists and is not an export.');
  });
});

describe('An instance with data of its own', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('begins with its seed, and goes back to it', async () => {
    const seed = join(folder, 'Orders.ndjson');
    await writeFile(seed, data);
    const instance = await startTabularium({ seed });
    try {
      await instance.import(['{"PartitionKey":"p","RowKey":"own"}'], { table: 'Orders' });
      expect(await instance.reset()).toMatchObject({ to: 'seed' });
      expect(await text(await instance.export())).toBe(data);
    } finally {
      await instance.close();
    }
  });

  it('exports it when it is closed, and imports it at the next start', async () => {
    const path = join(folder, 'kept.json');
    const first = await startTabularium({ import: path, exportOnExit: true });
    await first.import([data]);
    await first.close();
    const second = await startTabularium({ import: path });
    try {
      expect(await text(await second.export())).toBe(data);
    } finally {
      await second.close();
    }
  });

  it('exports tables to a folder whatever their names, and imports them at the next start', async () => {
    const path = join(folder, 'kept');
    const names = ['Orders', 'orders', 'a:b', 'a*b', 'CON', 'x'.repeat(250), '表'.repeat(84), 'a.b', 'ORDERS'];
    const lines = names.map(
      (name) => `{"$table":"${name}","account":"localhost"}\n{"PartitionKey":"p","RowKey":"${name}"}\n`,
    );
    const first = await startTabularium({ cosmos: true, import: path, exportOnExit: true });
    expect(await first.import(lines)).toMatchObject({ rows: names.length, rejectedRows: 0 });
    const before = await text(await first.export());
    await first.close();
    const second = await startTabularium({ cosmos: true, import: path });
    try {
      expect(await text(await second.export())).toBe(before);
    } finally {
      await second.close();
    }
  });

  it('starts again on a folder whose data is in an account of Cosmos DB', async () => {
    const seed = join(folder, 'Orders.ndjson');
    await writeFile(seed, data.replace('"Orders"', '"Orders","account":"localhost"'));
    const options = { cosmos: true, location: join(folder, 'data'), seed } as const;
    for (let starts = 0; starts < 2; starts++) {
      const instance = await startTabularium(options);
      try {
        expect(await instance.reset()).toMatchObject({ to: 'seed' });
        expect(await text(await instance.export({ account: 'localhost' }))).toBe(data);
      } finally {
        await instance.close();
      }
    }
  });

  it('keeps what was written after a load that was killed and not made again', async () => {
    const [seed, location] = [join(folder, 'Orders.ndjson'), join(folder, 'data')];
    await writeFile(seed, data);
    const store = await openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 0 });
    await store.snapshots.kept.begin({ kind: 'load', id: 'start' }, [developmentAccount.name], undefined);
    await store.close();
    const own = await startTabularium({ location });
    await own.import(['{"PartitionKey":"p","RowKey":"own"}'], { table: 'Own' });
    await own.close();
    const again = await startTabularium({ location, seed });
    try {
      expect(await text(await again.export())).toContain('"RowKey":"own"');
    } finally {
      await again.close();
    }
  });

  it('does not start with options that exclude each other, or with data that cannot be loaded', async () => {
    await expect(startTabularium({ seed: 'a', import: 'b' })).rejects.toThrow('seed and import exclude each other');
    await expect(startTabularium({ exportOnExit: true })).rejects.toThrow(
      'exportOnExit needs a path, or import with one.',
    );
    // Only the export at the end would fail otherwise, and the data be gone.
    const exportOnExit = join(folder, 'kept.json');
    await expect(startTabularium({ exportOnExit, cosmos: true })).rejects.toThrow('JSON holds only one account');
    await expect(startTabularium({ seed: join(folder, 'missing') })).rejects.toThrow('No such file or folder');
  });
});
