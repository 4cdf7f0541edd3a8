import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/entity/stored/change.js';
import type { EntityKey, Property } from '../../../src/entity/stored/entity.js';
import { readJsonString } from '../../../src/entity/stored/json-text.js';
import { storedValueBytes } from '../../../src/entity/stored/read-property.js';
import { hasForbiddenKeyCharacter } from '../../../src/protocol/names.js';
import type { EdmType } from '../../../src/protocol/values/edm.js';
import type { TransferFormat } from '../../../src/transfer/contract.js';
import { entityKey, properties, propertyName } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { transferOf } from '../../support/bodies/transfer-tools.js';
import { openTestStore } from '../../support/store/open-test-store.js';
import { account, commit, rowsOf } from '../../support/store/store-changes.js';

/** Values at the ends of what each type holds. */
const extremes: readonly (readonly [EdmType, string])[] = [
  ['Edm.String', '""'],
  ['Edm.String', '"null"'],
  ['Edm.String', '"\\"a,b;c\\"\\r\\n=1+1\\t"'],
  ['Edm.String', '" \\ud83d\\ude00 \\u0000\\ufeff"'],
  ['Edm.Boolean', 'true'],
  ['Edm.Boolean', 'false'],
  ['Edm.Int32', '-2147483648'],
  ['Edm.Int32', '2147483647'],
  ['Edm.Int64', '"-9223372036854775808"'],
  ['Edm.Int64', '"9223372036854775807"'],
  ['Edm.Double', '"NaN"'],
  ['Edm.Double', '"Infinity"'],
  ['Edm.Double', '"-Infinity"'],
  ['Edm.Double', '-0.0'],
  ['Edm.Double', '1E+300'],
  ['Edm.Double', '5.0'],
  ['Edm.DateTime', '"1601-01-01T00:00:00Z"'],
  ['Edm.DateTime', '"9999-12-31T23:59:59.9999999Z"'],
  ['Edm.Guid', '"00000000-0000-0000-0000-000000000000"'],
  ['Edm.Binary', '""'],
  ['Edm.Binary', '"AAEC/w=="'],
];

const extreme: fc.Arbitrary<Property[]> = fc
  .uniqueArray(fc.tuple(propertyName, fc.constantFrom(...extremes)), { selector: ([name]) => name, maxLength: 6 })
  .map((found) =>
    found.map(([name, [type, json]]) => ({ name, type, json, valueBytes: storedValueBytes(type, json) })),
  );

/** Keys that a request can have. */
const storableKey: fc.Arbitrary<EntityKey> = fc
  .oneof(entityKey, fc.record({ partitionKey: fc.constantFrom('', "'", '","', '😀', ';'), rowKey: fc.string() }))
  .filter(({ partitionKey, rowKey }) => !hasForbiddenKeyCharacter(partitionKey + rowKey));

const entities: fc.Arbitrary<Change[]> = fc.uniqueArray(
  fc
    .tuple(storableKey, fc.oneof(properties, extreme))
    .map(([key, found]): Change => ({ kind: 'insert', key, properties: found })),
  { selector: (change) => JSON.stringify(change.key), maxLength: 6 },
);

/** Entities without halves of characters, which UTF-8 cannot hold. */
const unicodeEntities = entities.map((found) => found.filter(isUnicode));

function isUnicode(change: Change): boolean {
  const { key, properties: found = [] } = { properties: [], ...change };
  const texts = found.map(({ json }) => (json.startsWith('"') ? readJsonString(json) : ''));
  return [key.partitionKey, key.rowKey, ...texts].every((text) => text.isWellFormed());
}

/** The formats, and the entities that each can hold. */
const formats: readonly (readonly [TransferFormat, fc.Arbitrary<Change[]>])[] = [
  ['ndjson', entities],
  ['json', entities],
  ['csv', unicodeEntities],
];

describe.each(formats)('In %s,', (format, held) => {
  it('for all entities, export, import and export give the same bytes, in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(held, fc.integer({ min: 1, max: 64 }), async (changes, pieceBytes) => {
        const [from, to] = [await openTestStore(memory), await openTestStore(memory)];
        try {
          await from.store().createTable(account, 'Orders');
          if (changes.length > 0) await commit(from.store(), 'Orders', ...changes);
          const exported = await transferOf(from.store()).exportText({ format });
          const tools = transferOf(to.store());
          const report = await tools.importText(exported, { format, pieceBytes, defaultTable: 'Orders' });
          expect(report).toMatchObject({ rows: changes.length, rejected: [], tables: 1 });
          expect(await tools.exportText({ format })).toBe(exported);
          if (format !== 'csv') expect(await tools.exportText()).toBe(await transferOf(from.store()).exportText());
          expect(await rowsOf(to.store(), 'Orders')).toEqual(await rowsOf(from.store(), 'Orders'));
        } finally {
          await from.dispose();
          await to.dispose();
        }
      }),
      { numRuns: runs(100) },
    );
  });
});

const memory = { engine: 'memory', cacheBytes: 0 } as const;
