import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityText, writeEntityText } from '../../../src/entity/stored/entity.js';
import type { AccessPolicy } from '../../../src/protocol/access/access-policy.js';
import type { ServiceProperties } from '../../../src/protocol/service-properties.js';
import type { StoredPart, StoreReader } from '../../../src/store/copy/stored-parts.js';
import { entityKey, properties } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import {
  type CopyPlace,
  copyFrom,
  copyPlace,
  joined,
  makeCopyPlace,
  partsAt,
} from '../../support/store/copy-places.js';
import { whyNoDatabase } from '../../support/store/test-engines.js';

/** Timestamps that a store can have issued: PostgreSQL's own clock must be after them. */
const timestamp = fc
  .tuple(fc.integer({ min: 0, max: Date.UTC(2026, 0, 1) }), fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9999 })))
  .map(([ms, ticks]) => {
    const text = `${new Date(ms).toISOString().slice(0, -1)}${String(ticks).padStart(4, '0')}`.replace(/\.?0+$/, '');
    return /T\d\d:\d\d:\d\d/.test(text) ? `${text}Z` : `${new Date(ms).toISOString().slice(0, 19)}Z`;
  });

/** Entities of one table in key order. */
const entities: fc.Arbitrary<EntityText[]> = fc
  .uniqueArray(fc.tuple(entityKey, timestamp, properties), {
    selector: ([{ partitionKey, rowKey }]) => `${partitionKey}\0${rowKey}`,
    maxLength: 30,
  })
  .map((rows) =>
    rows
      .sort(([a], [b]) =>
        a.partitionKey === b.partitionKey ? order(a.rowKey, b.rowKey) : order(a.partitionKey, b.partitionKey),
      )
      .map(([key, time, custom]) => writeEntityText(key, time, custom)),
  );

const text = fc.string({ unit: 'binary', maxLength: 8 });
const policies: fc.Arbitrary<AccessPolicy[]> = fc.array(
  fc.record({ id: text, start: text, expiry: text, permission: text }, { requiredKeys: ['id'] }),
  { maxLength: 3 },
);
const retention = fc.record({ days: fc.integer({ min: 1, max: 365 }) }, { requiredKeys: [] });
const texts = fc.array(text, { maxLength: 2 });
const settings: fc.Arbitrary<ServiceProperties> = fc.record({
  logging: fc.record({ read: fc.boolean(), write: fc.boolean(), delete: fc.boolean(), retention }),
  hourMetrics: fc.record({ includeApis: fc.boolean(), retention }, { requiredKeys: ['retention'] }),
  minuteMetrics: fc.record({ retention }),
  cors: fc.array(
    fc.record({
      methods: texts,
      origins: texts,
      allowedHeaders: texts,
      exposedHeaders: texts,
      maxAgeSeconds: fc.nat(),
    }),
    { maxLength: 2 },
  ),
});

/** Names with letters of both cases, of other scripts and beyond the basic plane; and one that only few stores can have. */
const tableName = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{2,8}$/),
  fc.constantFrom('$MetricsHourPrimaryTransactionsTable', 'Kelvin\u212a', 'émigré', '𐐷x', 'constructor', '__proto__'),
);
const account = fc.constantFrom('devstoreaccount1', 'a', 'a-b', 'ab', 'Z');

const tables = fc.uniqueArray(
  fc.record({
    account,
    name: tableName,
    created: fc.bigInt({ min: 0n, max: 2n ** 57n }).map((ticks) => ticks.toString(16).padStart(16, '0')),
    policies,
    entities,
  }),
  { selector: (table) => placeOf(table), maxLength: 5 },
);

/** An account of another service, with tables in the order of insertion. The places are in any order. */
const otherService = fc
  .tuple(
    fc.boolean(),
    fc.uniqueArray(fc.tuple(tableName, entities, fc.infiniteStream(fc.bigInt({ min: 0n, max: 2n ** 62n }))), {
      selector: ([name]) => placeOf({ account: '', name }),
      maxLength: 3,
    }),
  )
  .map(([exactNames, all]): StoredPart[] => {
    const nameKey = (name: string) => (exactNames ? name : placeOf({ account: '', name }));
    const sorted = all.sort(([a], [b]) => order(nameKey(a), nameKey(b)));
    const parts = sorted.flatMap(([name, texts, ticks]): StoredPart[] => {
      const places = new Set<string>();
      while (places.size < texts.length) places.add(ticks.next().value.toString(16).padStart(16, '0'));
      const table = { account: other, name, created: '0000000000000001', policies: [], order: 'insertion' } as const;
      const rows = { kind: 'entities', texts, places: [...places] } as const;
      return [{ kind: 'table', ...table }, ...(texts.length > 0 ? [rows] : [])];
    });
    return [{ kind: 'account', account: other, service: 'other', exactNames }, ...parts];
  });

/** The name of that account sorts after all others. */
const other = 'zz';

/** Everything in a store, in the order in which it is read. */
const contents: fc.Arbitrary<StoredPart[]> = fc
  .tuple(
    timestamp,
    fc.uniqueArray(fc.tuple(account, settings), { selector: ([name]) => name }),
    tables,
    fc.option(otherService, { nil: [] }),
  )
  .map(([last, accounts, found, [service, ...others]]) => [
    { kind: 'clock', last },
    ...(service ? [service] : []),
    ...accounts
      .sort(([a], [b]) => order(a, b))
      .map(([name, own]): StoredPart => ({ kind: 'settings', account: name, properties: own })),
    ...found
      .sort((a, b) => order(placeOf(a), placeOf(b)))
      .flatMap(({ entities: rows, ...table }): StoredPart[] => [
        { kind: 'table', ...table },
        ...(rows.length > 0 ? [{ kind: 'entities', texts: rows } as const] : []),
      ]),
    ...others,
  ]);

function order(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function placeOf({ account: owner, name }: { readonly account: string; readonly name: string }): string {
  return `${owner}\0${name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())}`;
}

function readerOf(parts: readonly StoredPart[]): StoreReader {
  return {
    async *read() {
      yield* parts;
    },
    close: async () => {},
  };
}

/** Copies parts along places, and returns what each place then has. */
async function copyAlong(parts: readonly StoredPart[], places: readonly CopyPlace[]) {
  const found: (readonly StoredPart[])[] = [];
  for (const [at, place] of places.entries()) {
    const before = places[at - 1];
    await (before ? copyPlace(before, place) : copyFrom(readerOf(parts), place));
    found.push(await partsAt(place));
  }
  return found;
}

describe('a copy keeps every entity byte for byte, and all tables, policies and settings', () => {
  const keeps = (engines: readonly ('level' | 'postgres')[]) => () =>
    fc.assert(
      fc.asyncProperty(contents, async (parts) => {
        const places = await Promise.all(engines.map(makeCopyPlace));
        try {
          for (const found of await copyAlong(parts, places)) expect(found).toEqual(joined(parts));
        } finally {
          await Promise.all(places.map((place) => place.remove()));
        }
      }),
      { numRuns: runs(15) },
    );

  it('from folder to folder', keeps(['level', 'level']));

  it.skipIf(whyNoDatabase)(
    `from folder to database, to database and to folder${whyNoDatabase}`,
    keeps(['level', 'postgres', 'postgres', 'level']),
  );
});
