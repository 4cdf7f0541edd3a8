import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { State } from '../../../src/state/state.js';
import { StartData, type StartDataOptions } from '../../../src/transfer/start-data.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('The data of a start, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let folder: string;
  let tested: StoreUnderTest;
  let notes: string[];
  beforeEach(async () => {
    folder = await makeFolder();
    tested = await openTestStore(ground);
    notes = [];
  });
  afterEach(async () => {
    await tested.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const put = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const start = (options: Partial<StartDataOptions>, signal?: AbortSignal) => {
    const store = tested.store();
    const accounts = new Accounts([{ name: account, keys: ['a2V5'] }]);
    const state = new State(store, accounts, () => {});
    const transfer = new Transfer(store, state);
    const data = new StartData(
      { store, state, transfer, accounts: [account], note: (text) => notes.push(text), signal },
      { seeds: [], importPath: undefined, exportPath: undefined, ...options },
    );
    return { data, state, store };
  };
  const row = (rowKey: string) => `{"PartitionKey":"p","RowKey":"${rowKey}"}`;
  const tablesOf = async () => (await tested.store().listTables(account)).map(({ name }) => name);

  it.each(['people.txt', '-'])('is not exported at its end to %s, which names no format', async (name) => {
    const exportPath = name === '-' ? name : join(folder, name);
    await expect(start({ exportPath }).data.load()).rejects.toThrow(
      /^Unknown format: .*\. The name must end in .*, or in a slash for a folder\.$/,
    );
  });

  it('is exported at its end to a folder whose name ends in a slash', async () => {
    const { data, store } = start({ exportPath: join(folder, 'people.txt/') });
    await data.load();
    await store.createTable(account, 'People');
    await data.save();
    expect(await readdir(join(folder, 'people.txt'))).toEqual(['People.ndjson']);
  });

  it('is a seed, which a reset goes back to', async () => {
    const seeds = [
      await put('a.ndjson', `{"$table":"Orders"}\n${row('a')}`),
      await put('People.json', `[${row('b')}]`),
    ];
    const { data, state, store } = start({ seeds });
    await data.load();
    await commit(store, 'Orders', insert(keyAt('own')));
    expect(await rowsOf(store, 'Orders')).toEqual(['p/a', 'p/own']);
    expect(await state.reset()).toMatchObject({ to: 'seed' });
    expect(await rowsOf(store, 'Orders')).toEqual(['p/a']);
    expect(await rowsOf(store, 'People')).toEqual(['p/b']);
    expect((await state.listSnapshots()).map(({ name }) => name)).toEqual(['seed']);
    expect(notes).toEqual([`loaded 2 entities in 2 tables from ${seeds.join(', ')}`]);
  });

  it('leaves data that is there as it is', async () => {
    const seeds = [await put('Orders.ndjson', row('a'))];
    await start({ seeds }).data.load();
    await commit(tested.store(), 'Orders', insert(keyAt('own')));
    await tested.reopen();
    await start({ seeds }).data.load();
    expect(await rowsOf(tested.store(), 'Orders')).toEqual(['p/a', 'p/own']);
    expect(notes[1]).toBe('The location already has data, so --seed was not loaded.');
  });

  it('is not there at all if a row is rejected', async () => {
    const path = await put('Orders.ndjson', `${row('a')}\n${row('a/b')}`);
    await expect(start({ importPath: path }).data.load()).rejects.toThrow(
      `--import has rows that cannot be imported: 1. ${path}:2:21: Orders ('p', 'a/b'): OutOfRangeInput: The RowKey 'a/b' has`,
    );
    expect(await tablesOf()).toEqual([]);
    expect(await tested.store().snapshots.list()).toEqual([]);
    await expect(start({ seeds: [join(folder, 'missing')] }).data.load()).rejects.toThrow('No such file or folder');
  });

  it('is discarded if the server is stopped while it loads', async () => {
    const importPath = await put('Orders.ndjson', row('a'));
    const signal = AbortSignal.abort(new Error('told to stop'));
    await expect(start({ importPath }, signal).data.load()).rejects.toThrow('told to stop');
    expect(await tablesOf()).toEqual([]);
    expect(await tested.store().snapshots.list()).toEqual([]);
  });

  it('is loaded again after a start that was killed', async () => {
    const path = await put('Orders.ndjson', row('a'));
    await tested.store().snapshots.kept.begin({ kind: 'load', id: 'start' }, [account], undefined);
    await tested.store().createTable(account, 'Half');
    await start({ importPath: path }).data.load();
    expect(await tablesOf()).toEqual(['Orders']);
    expect(await tested.store().snapshots.list()).toEqual([]);
  });

  it('leaves alone what was written after a load that was killed and not made again', async () => {
    const seeds = [await put('Orders.ndjson', row('a'))];
    await tested.store().snapshots.kept.begin({ kind: 'load', id: 'start' }, [account], undefined);
    await start({}).data.load();
    await tested.store().createTable(account, 'Own');
    await commit(tested.store(), 'Own', insert(keyAt('own')));
    await start({ seeds }).data.load();
    expect(await rowsOf(tested.store(), 'Own')).toEqual(['p/own']);
    expect(notes).toEqual([
      'An earlier load was interrupted. The data loaded so far is kept and served.',
      'The location already has data, so --seed was not loaded.',
    ]);
  });

  it('leaves data alone, whatever its user calls a snapshot', async () => {
    const seeds = [await put('Orders.ndjson', row('a'))];
    const { data, state } = start({ seeds });
    await data.load();
    await commit(tested.store(), 'Orders', insert(keyAt('own')));
    await state.takeSnapshot('before-start');
    await start({ seeds }).data.load();
    expect(await rowsOf(tested.store(), 'Orders')).toEqual(['p/a', 'p/own']);
  });

  it('is exported at the end, to where the next start finds it', async () => {
    const path = join(folder, 'data');
    const first = start({ importPath: path, exportPath: `${path}/` });
    await first.data.load();
    await first.store.createTable(account, 'Orders');
    await commit(first.store, 'Orders', insert(keyAt('a'), 1));
    await first.data.save();
    const file = join(path, 'Orders.ndjson');
    expect(await readFile(file, 'utf8')).toBe('{"$table":"Orders"}\n{"PartitionKey":"p","RowKey":"a","N":1}\n');
    await first.state.reset({ to: 'empty' });
    await start({ importPath: path, exportPath: path }).data.load();
    expect(await rowsOf(tested.store(), 'Orders')).toEqual(['p/a']);
  });

  it.each(['data', 'data.ndjson', 'data.json'])(
    'continues at %s, also if the first server had no table',
    async (name) => {
      const path = join(folder, name);
      const loop = { importPath: path, exportPath: path };
      for (const tables of [[], [], ['Orders']]) {
        const { data, store } = start(loop);
        await data.load();
        for (const table of tables) await store.createTable(account, table);
        await data.save();
      }
      await start({}).state.reset({ to: 'empty' });
      await start(loop).data.load();
      expect(await tablesOf()).toEqual(['Orders']);
      expect(await readdir(folder)).toEqual([name]);
    },
  );

  it('is exported to where it came from, also if that was removed since', async () => {
    const path = await put('data.ndjson', `{"$table":"Orders"}\n`);
    const { data } = start({ importPath: path, exportPath: path });
    await data.load();
    await rm(path);
    await data.save();
    expect(await readdir(folder)).toEqual(['data.ndjson']);
  });

  it('does not begin with nothing if the last export was interrupted while it replaced an older one', async () => {
    const path = join(folder, 'data');
    await mkdir(`${path}.old-1a2b3c4d`);
    await expect(start({ importPath: path, exportPath: path }).data.load()).rejects.toThrow(
      `${path} is missing because an export was interrupted. Rename ${path}.old-1a2b3c4d to restore it.`,
    );
  });

  it.each<[string, { readonly seeds?: readonly string[]; readonly importPath?: string }]>([
    ['alone', {}],
    ['beside a seed', { seeds: ['Seed.ndjson'] }],
    ['beside another import', { importPath: 'Seed.ndjson' }],
  ])('is not exported %s to where there is data that was not read', async (_title, { seeds = [], importPath = '' }) => {
    await put('Seed.ndjson', row('seed'));
    const exportPath = await put('Orders.ndjson', `{"$table":"Orders"}\n${row('a')}\n`);
    const options = {
      seeds: seeds.map((name) => join(folder, name)),
      importPath: importPath === '' ? undefined : join(folder, importPath),
      exportPath,
    };
    await expect(start(options).data.load()).rejects.toThrow(
      `${exportPath} has data, which the export at the end would replace unread. Load it with --import ${exportPath}, remove it, or name another path.`,
    );
    expect(await tablesOf()).toEqual([]);
  });

  it.each(['--import', '--seed'])('is not exported to what %s names if there was data already', async (option) => {
    const path = await put('Orders.ndjson', `{"$table":"Orders"}\n${row('a')}\n`);
    await tested.store().createTable(account, 'Own');
    const loaded = option === '--seed' ? { seeds: [path] } : { importPath: path };
    await expect(start({ ...loaded, exportPath: path }).data.load()).rejects.toThrow(
      `The location already has data, so ${path} is not loaded, and the export on exit would overwrite it. ` +
        `To keep the existing data, omit ${option} and use --exportOnExit ${path}.`,
    );
    const { data } = start({ exportPath: path });
    await data.load();
    await data.save();
    expect(await readFile(path, 'utf8')).toBe('{"$table":"Own"}\n');
  });

  it.each(['data', 'data.ndjson'])('is exported beside %s if that was changed since', async (name) => {
    const path = join(folder, name);
    const { data, store } = start({ importPath: path, exportPath: path });
    await data.load();
    await store.createTable(account, 'Own');
    if (name === 'data') await mkdir(path);
    const others = name === 'data' ? join(path, 'Others.ndjson') : path;
    await writeFile(others, '{"$table":"Others"}\n');
    await expect(data.save()).rejects.toThrow(
      `${path} was changed while the server was running, so it was not overwritten.`,
    );
    expect(await readFile(others, 'utf8')).toBe('{"$table":"Others"}\n');
    const beside = (await readdir(folder)).find((one) => /^data\.unsaved-\w{8}(\.ndjson)?$/.test(one)) ?? '';
    const saved = name === 'data' ? join(folder, beside, 'Own.ndjson') : join(folder, beside);
    expect(await readFile(saved, 'utf8')).toBe('{"$table":"Own"}\n');
  });

  it('rejects an export at the end that cannot be written, before it loads anything', async () => {
    const path = await put('own.json', '{"name":"mine"}');
    await expect(start({ exportPath: path }).data.load()).rejects.toThrow('exists and is not an export');
    await expect(start({ exportPath: join(folder, 'x.csv') }).data.load()).rejects.toThrow('CSV holds only one table.');
    const nowhere = join(folder, 'missing', 'x.ndjson');
    await expect(start({ exportPath: nowhere }).data.load()).rejects.toThrow('is not a writable folder');
    await expect(start({ importPath: path }).data.load()).rejects.toThrow('The JSON contains no data.');
  });
});
