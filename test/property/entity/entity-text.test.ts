import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import type { Change } from '../../../src/entity/stored/change.js';
import { type EntityKey, etagOf, type Property, writeEntityText } from '../../../src/entity/stored/entity.js';
import { entityBytes } from '../../../src/entity/stored/entity-size.js';
import { propertyReader, readProperties, readValues } from '../../../src/entity/stored/read-property.js';
import { keyOf, rowWriter } from '../../../src/entity/stored/write-row.js';
import { applyChange } from '../../../src/store/judge-changes.js';
import { entityKey, instant, properties, propertyName } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const links = { base: 'http://host:1/a', account: 'a', table: 'T' };

/** Returns the members that a JSON reader finds for these properties, without annotations. */
function valuesOf(list: readonly Property[]): Record<string, unknown> {
  return Object.fromEntries(list.map(({ name, json }) => [name, JSON.parse(json)]));
}

describe('the text of an entity', () => {
  it('is JSON with the values that were written', () => {
    fc.assert(
      fc.property(entityKey, instant, properties, (key, timestamp, list) => {
        const text = writeEntityText(key, timestamp, list);
        expect(text).toMatch(/^[ -\u007f]*$/);
        expect(JSON.parse(text)).toMatchObject({
          'odata.etag': etagOf(text),
          PartitionKey: key.partitionKey,
          RowKey: key.rowKey,
          Timestamp: timestamp,
          ...valuesOf(list),
        });
        expect([keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey')]).toEqual([key.partitionKey, key.rowKey]);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('returns its properties in order, with names, types, values and sizes', () => {
    fc.assert(
      fc.property(entityKey, instant, properties, (key, timestamp, list) => {
        expect(readProperties(writeEntityText(key, timestamp, list))).toEqual(list);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('returns a single property as it returns all of them, and nothing for a missing one', () => {
    fc.assert(
      fc.property(entityKey, instant, properties, propertyName, (key, timestamp, list, other) => {
        const text = writeEntityText(key, timestamp, list);
        for (const name of [...list.map((property) => property.name), other]) {
          const property = list.find((candidate) => candidate.name === name);
          const value = property && { type: property.type, json: property.json };
          expect(propertyReader(name)(text)).toEqual(value);
          expect(readValues(text).get(name)).toEqual(value);
        }
        for (const name of ['PartitionKey', 'RowKey', 'Timestamp']) {
          expect(readValues(text).get(name)).toEqual(propertyReader(name)(text));
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is the same when it is sent back in a request', () => {
    fc.assert(
      fc.property(entityKey, instant, properties, (key, timestamp, list) => {
        const text = writeEntityText(key, timestamp, list);
        expect(readEntity(text)).toEqual({ ...key, properties: list });
        expect(entityBytes(key, readEntity(text).properties)).toBe(entityBytes(key, list));
      }),
    );
  });
});

describe('the rows of an entity', () => {
  it('have the same values at every metadata level', () => {
    fc.assert(
      fc.property(entityKey, instant, properties, (key, timestamp, list) => {
        const text = writeEntityText(key, timestamp, list);
        const bare = { PartitionKey: key.partitionKey, RowKey: key.rowKey, Timestamp: timestamp, ...valuesOf(list) };
        expect(JSON.parse(rowWriter('nometadata', undefined, links)(text))).toEqual(bare);
        const full = JSON.parse(rowWriter('fullmetadata', undefined, links)(text));
        expect(full).toMatchObject({
          ...JSON.parse(text),
          'odata.type': 'a.T',
          'Timestamp@odata.type': 'Edm.DateTime',
        });
        expect(full['odata.id']).toBe(`${links.base}/${full['odata.editLink']}`);
      }),
    );
  });

  it('contain exactly the selected properties', () => {
    const asked = fc.uniqueArray(fc.oneof(propertyName, fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp')), {
      minLength: 1,
      // Covers both ways of reading: few properties are searched one by one, many are read in one pass.
      maxLength: 20,
    });
    fc.assert(
      fc.property(entityKey, instant, properties, asked, (key, timestamp, list, names) => {
        const text = writeEntityText(key, timestamp, list);
        const all = JSON.parse(rowWriter('nometadata', undefined, links)(text));
        const expected = Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
        expect(JSON.parse(rowWriter('nometadata', names, links)(text))).toEqual(expected);
        expect(JSON.parse(rowWriter('minimalmetadata', names, links)(text))).toMatchObject(expected);
        expect(JSON.parse(rowWriter('fullmetadata', names, links)(text))).toMatchObject({
          'odata.etag': etagOf(text),
          ...expected,
        });
      }),
    );
  });
});

describe('a merge', () => {
  const key: EntityKey = { partitionKey: 'p', rowKey: 'r' };
  const timestamp = '2026-01-01T00:00:00Z';
  const change = (kind: 'merge' | 'replace', list: readonly Property[]): Change => ({
    kind,
    key,
    properties: list,
    ifMatch: undefined,
  });

  /** Returns the text after these merges, which start with a missing entity. */
  function merged(...steps: readonly (readonly Property[])[]): string {
    let text: string | undefined;
    for (const step of steps) {
      const applied = applyChange(change('merge', step), text, timestamp);
      if (!('text' in applied) || applied.text === null) throw new Error('a merge leaves an entity');
      text = applied.text;
    }
    return text ?? '';
  }

  it('keeps the later value of each name', () => {
    fc.assert(
      fc.property(properties, properties, (first, second) => {
        const values = { ...valuesOf(first), ...valuesOf(second) };
        expect(valuesOf(readProperties(merged(first, second)))).toEqual(values);
      }),
    );
  });

  it('is idempotent, is unchanged by an empty merge, and gives the same result in one step or two', () => {
    fc.assert(
      fc.property(properties, properties, properties, (a, b, c) => {
        expect(merged(a, a)).toBe(merged(a));
        expect(merged(a, [])).toBe(merged(a));
        expect(merged(a, b, c)).toBe(merged(a, readProperties(merged(b, c))));
      }),
    );
  });

  it('sorts the names in ordinal order, like a replace', () => {
    fc.assert(
      fc.property(properties, properties, (first, second) => {
        const names = readProperties(merged(first, second)).map(({ name }) => name);
        expect(names).toEqual([...names].sort());
        expect(applyChange(change('replace', second), merged(first), timestamp)).toEqual({ text: merged(second) });
      }),
    );
  });
});
