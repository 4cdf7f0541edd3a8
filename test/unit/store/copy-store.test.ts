import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { type EntityText, writeEntityText } from '../../../src/entity/stored/entity.js';
import { copyStore } from '../../../src/store/copy/copy-store.js';
import { partMax, type StoredPart, type StoreLoader } from '../../../src/store/copy/stored-parts.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { openLoader, openReader } from '../../../src/store/open-store.js';
import type { Store, Table } from '../../../src/store/store.js';
import { StoreError } from '../../../src/store/store-error.js';
import { filesOf, fingerprint, flipBit } from '../../support/programs/data-folder.js';
import { type CopyPlace, copyFrom, copyPlace, makeCopyPlace, partsAt } from '../../support/store/copy-places.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numbered,
  readEntity,
  remove,
  replace,
  rowsOf,
} from '../../support/store/store-changes.js';
import { whyNoDatabase } from '../../support/store/test-engines.js';

const noon = Date.UTC(2026, 0, 21, 12);
const report = () => {};

let places: CopyPlace[];
beforeEach(() => {
  places = [];
});
afterEach(async () => {
  for (const place of places) await place.remove();
});

async function makePlace(engine: 'level' | 'postgres'): Promise<CopyPlace> {
  const place = await makeCopyPlace(engine);
  places.push(place);
  return place;
}

/** Opens the store of a place. Its clock stands still, so that it must continue after the Timestamps that it finds. */
function openAt(place: CopyPlace, milliseconds = noon) {
  return place.open({ clock: createClock(() => milliseconds), cacheBytes: 0, report });
}

/** Fills a place as a server does: changed and deleted entities, a dropped table, policies and settings. */
async function fill(place: CopyPlace): Promise<void> {
  const store = await openAt(place);
  await store.createTable(account, 'Mixed');
  await store.createTable(account, 'dropped');
  await store.createTable('other', 'Empty');
  await commit(store, 'Mixed', ...['a', 'b', 'c', '\u{1f600}', '\uffee'].map((row) => insert(keyAt(row), 1)));
  await commit(store, 'Mixed', replace(keyAt('b'), 2), remove(keyAt('c')));
  await commit(store, 'dropped', insert(keyAt('a')));
  await store.deleteTable(account, 'dropped');
  await store.openTable(account, 'mixed').writeAccessPolicies([{ id: 'read', permission: 'r' }]);
  await store.writeServiceProperties(account, { minuteMetrics: { retention: { days: 3 } } });
  await store.close();
}

/** Returns the tables of an account. Engines add what only they need. */
async function tablesOf(store: Store, owner: string): Promise<readonly Table[]> {
  return (await store.listTables(owner)).map(({ name, created }) => ({ name, created }));
}

/** Returns the error of a promise that must be rejected. */
async function errorOf(promise: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw error;
  return error;
}

/** Returns a loader that writes other parts than it gets. */
function changing(loader: StoreLoader, change: (part: StoredPart) => StoredPart): StoreLoader {
  return {
    write: (part) => loader.write(change(part)),
    finish: () => loader.finish(),
    read: () => loader.read(),
    release: () => loader.release(),
    close: () => loader.close(),
  };
}

const routes = [
  { from: 'level', to: 'level', why: '' },
  { from: 'level', to: 'postgres', why: whyNoDatabase },
  { from: 'postgres', to: 'level', why: whyNoDatabase },
  { from: 'postgres', to: 'postgres', why: whyNoDatabase },
] as const;

for (const { from, to, why } of routes) {
  describe.skipIf(why !== '')(`a copy from ${from} to ${to}${why}`, () => {
    let source: CopyPlace;
    let target: CopyPlace;
    beforeEach(async () => {
      source = await makePlace(from);
      target = await makePlace(to);
      await fill(source);
    });

    it('has the tables, entities, policies and settings that servers wrote', async () => {
      expect(await copyPlace(source, target)).toMatchObject({ settings: 1, tables: 2, entities: 4 });
      const [before, after] = [await openAt(source), await openAt(target)];
      for (const owner of [account, 'other']) {
        expect(await tablesOf(after, owner)).toEqual(await tablesOf(before, owner));
        expect(await after.readServiceProperties(owner)).toEqual(await before.readServiceProperties(owner));
      }
      expect(await rowsOf(after, 'Mixed')).toEqual(['p/a', 'p/b', 'p/\u{1f600}', 'p/\uffee']);
      for (const row of ['a', 'b', '\u{1f600}', '\uffee']) {
        expect(await readEntity(after, 'mixed', keyAt(row))).toBe(await readEntity(before, 'mixed', keyAt(row)));
      }
      expect(await after.openTable(account, 'Mixed').readAccessPolicies()).toEqual([{ id: 'read', permission: 'r' }]);
      await before.close();
      await after.close();
    });

    it('issues only Timestamps that are later than those of the source, also if its clock is back', async () => {
      const before = await openAt(source);
      const [last] = await commit(before, 'Mixed', insert(keyAt('last')));
      await before.close();
      await copyPlace(source, target);
      const after = await openAt(target, noon - 86_400_000);
      const [next] = await commit(after, 'Mixed', insert(keyAt('next')));
      await after.close();
      expect(String(next) > String(last)).toBe(true);
    });

    it('gives a later table no entity of a copied one', async () => {
      await copyPlace(source, target);
      const after = await openAt(target);
      await after.deleteTable(account, 'Mixed');
      await after.createTable(account, 'Mixed');
      expect(await rowsOf(after, 'Mixed')).toEqual([]);
      await after.swept();
      await after.close();
    });

    it('that was interrupted after any part is closed to servers, and starts over', async () => {
      const parts = await partsAt(source);
      for (let left = 0; left <= parts.length; left++) {
        let written = 0;
        const interrupted = copyFrom({ read: () => readAll(parts), close: async () => {} }, target, (loader) => ({
          ...changing(loader, (part) => {
            if (written++ === left) throw new Error('interrupted');
            return part;
          }),
          finish: () => Promise.reject(new Error('interrupted')),
        }));
        await expect(interrupted).rejects.toThrow('interrupted');
        expect((await errorOf(openAt(target))).code).toBe('unfinished-copy');
        expect((await errorOf(openReader(target.place, { report }))).code).toBe('unfinished-copy');
      }
      await copyPlace(source, target);
      expect(await partsAt(target)).toEqual(parts);
      await (await openAt(target)).close();
    });

    it('that differs from its source is found, named and not opened', async () => {
      const reader = await openReader(source.place, { report });
      const change = (texts: readonly EntityText[]) => [
        writeEntityText(keyAt('a'), '2026-01-01T00:00:00Z', numbered(7)),
        ...texts.slice(1),
      ];
      const changed = copyFrom(reader, target, (loader) =>
        changing(loader, (part) => (part.kind === 'entities' ? { ...part, texts: change(part.texts) } : part)),
      );
      expect((await errorOf(changed)).fault).toBe(
        'The copy differs from its source in the table Mixed of the account account: 4 entities in the source, 4 in the copy.',
      );
      const shortened = copyFrom(reader, target, (loader) =>
        changing(loader, (part) => (part.kind === 'entities' ? { ...part, texts: part.texts.slice(1) } : part)),
      );
      expect((await errorOf(shortened)).fault).toContain('4 entities in the source, 3 in the copy');
      await reader.close();
      expect((await errorOf(openAt(target))).code).toBe('unfinished-copy');
    });

    it('to a place with data is rejected, and changes nothing', async () => {
      await fill(target);
      const before = await partsAt(target);
      expect((await errorOf(copyPlace(source, target))).code).toBe('not-empty');
      expect(await partsAt(target)).toEqual(before);
    });

    it('from a place without data is rejected', async () => {
      expect((await errorOf(copyPlace(target, source))).fault).toMatch(/^There is no data in /);
    });
  });
}

async function* readAll(parts: readonly StoredPart[]): AsyncGenerator<StoredPart> {
  yield* parts;
}

describe('a folder as the source', () => {
  let source: CopyPlace;
  let folder: string;
  beforeEach(async () => {
    source = await makePlace('level');
    await fill(source);
    folder = join(source.settings.location ?? '', dataFolder);
  });

  it('is not changed', async () => {
    const before = fingerprint(folder);
    await copyPlace(source, await makePlace('level'));
    expect(fingerprint(folder)).toEqual(before);
  });

  it('that is damaged is rejected before anything is copied', async () => {
    flipBit(filesOf(folder, /^COMMITS-/)[0] ?? '', 8 * 60);
    const target = await makePlace('level');
    expect((await errorOf(copyPlace(source, target))).code).toBe('damaged');
    expect(readdirSync(target.settings.location ?? '')).toEqual([]);
  });

  it('of a newer format is rejected', async () => {
    writeFileSync(join(folder, 'FORMAT'), '999\n');
    expect((await errorOf(copyPlace(source, await makePlace('level')))).code).toBe('other-format');
  });
});

describe.skipIf(whyNoDatabase)(`a database${whyNoDatabase}`, () => {
  /** Runs a statement in the schema of a place. */
  async function run({ place }: CopyPlace, statement: string): Promise<void> {
    if (place.engine !== 'postgres') throw new Error('not a database');
    const client = new pg.Client({ connectionString: place.url, options: `-c search_path=${place.schema}` });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  it('of a newer format is rejected, as source and as target', async () => {
    const [newer, other] = [await makePlace('postgres'), await makePlace('level')];
    await fill(newer);
    await fill(other);
    await run(newer, 'UPDATE format SET version = 999');
    expect((await errorOf(copyPlace(newer, await makePlace('level')))).code).toBe('other-format');
    expect((await errorOf(copyPlace(other, newer))).code).toBe('other-format');
  });

  it('is the target of one copy at a time', async () => {
    const target = await makePlace('postgres');
    const first = await openLoader(target.place, { report });
    expect((await errorOf(openLoader(target.place, { report }))).code).toBe('in-use');
    await first.close();
    await (await openLoader(target.place, { report })).close();
  });

  it('whose connection is lost ends a copy to it, which starts over', async () => {
    const [folder, database] = [await makePlace('level'), await makePlace('postgres')];
    await fill(folder);
    const parts = await partsAt(folder);
    // The copy is the connection that holds the lock of the schema.
    const end = () =>
      run(
        database,
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
         AND objid::bigint = hashtext(current_schema())::bigint & 4294967295`,
      );
    const lost = copyFrom({ read: () => readAll(parts), close: async () => {} }, database, (loader) => ({
      ...changing(loader, (part) => part),
      async finish() {
        await end();
        await loader.finish();
      },
    }));
    expect((await errorOf(lost)).fault).toContain('the connection was lost');
    await copyPlace(folder, database);
    expect(await partsAt(database)).toEqual(parts);
  });

  it('whose clock is before the last Timestamp of the source is rejected, because it would stamp too early', async () => {
    const source = await makePlace('level');
    const store = await openAt(source, Date.UTC(2100, 0, 1));
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('a')));
    await store.close();
    const { fault } = await errorOf(copyPlace(source, await makePlace('postgres')));
    expect(fault).toMatch(/^The last Timestamp of the source is 2100-01-01T00:00:00\S+, and the clock of the schema /);
  });

  it('is read as it was when the copy began', async () => {
    const source = await makePlace('postgres');
    await fill(source);
    const parts = await partsAt(source);
    const reader = await openReader(source.place, { report });
    for await (const _ of reader.read()) break;
    const store = await openAt(source);
    await commit(store, 'Mixed', insert(keyAt('later')));
    await store.close();
    const target = await makePlace('level');
    await copyFrom(reader, target);
    await reader.close();
    expect(await partsAt(target)).toEqual(parts);
  });
});

describe('a copy of much data', () => {
  for (const engine of ['level', 'postgres'] as const) {
    const why = engine === 'level' ? '' : whyNoDatabase;
    it.skipIf(why)(`is read from ${engine} in parts of bounded size${why}`, async () => {
      const place = await makePlace(engine);
      const store = await openAt(place);
      await store.createTable(account, 'Large');
      const large = JSON.stringify('x'.repeat(30_000));
      const properties = [{ name: 'A', type: 'Edm.String' as const, json: large, valueBytes: 60_000 }];
      for (let row = 0; row < 200; row++) {
        await commit(store, 'Large', { kind: 'insert', key: keyAt(`${row}`), properties });
      }
      for (let row = 0; row < 3000; row += 100) {
        await commit(store, 'Large', ...Array.from({ length: 100 }, (_, at) => insert(keyAt(`${row + at}`, 'q'))));
      }
      await store.close();
      const reader = await openReader(place.place, { report });
      const sizes: { entities: number; bytes: number }[] = [];
      for await (const part of reader.read()) {
        if (part.kind !== 'entities') continue;
        sizes.push({ entities: part.texts.length, bytes: part.texts.reduce((sum, { length }) => sum + length, 0) });
      }
      await reader.close();
      expect(sizes.reduce((sum, { entities }) => sum + entities, 0)).toBe(3200);
      expect(Math.max(...sizes.map(({ entities }) => entities))).toBeLessThanOrEqual(partMax.entities);
      expect(Math.max(...sizes.map(({ bytes }) => bytes))).toBeLessThan(partMax.bytes + 31_000);
    });
  }

  it('reads one part ahead of the part that is being written, and no more', async () => {
    let read = 0;
    let written = 0;
    let aheadMax = 0;
    const text = writeEntityText(keyAt('a'), '2026-01-01T00:00:00Z', []);
    async function* parts(): AsyncGenerator<StoredPart> {
      yield { kind: 'table', account, name: 'T', created: '0'.repeat(16), policies: [] };
      for (let part = 0; part < 20; part++) {
        aheadMax = Math.max(aheadMax, ++read - written);
        yield { kind: 'entities', texts: [text] };
      }
    }
    const loader: StoreLoader = {
      async write({ kind }) {
        await new Promise((resolve) => setImmediate(resolve));
        if (kind === 'entities') written++;
      },
      finish: () => Promise.reject(new Error('enough')),
      read: parts,
      release: async () => {},
      close: async () => {},
    };
    await expect(copyStore({ read: parts, close: async () => {} }, loader)).rejects.toThrow('enough');
    expect(written).toBe(20);
    expect(aheadMax).toBeLessThanOrEqual(2);
  });
});
