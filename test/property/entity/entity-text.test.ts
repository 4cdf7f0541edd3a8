import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../src/entity/apply-change.js';
import type { Change } from '../../../src/entity/change.js';
import { type EntityKey, etagOf, type Property, writeEntityText } from '../../../src/entity/entity.js';
import { entityBytes } from '../../../src/entity/entity-size.js';
import { readEntity } from '../../../src/entity/read-entity.js';
import { propertyReader, readProperties, readValues } from '../../../src/entity/read-property.js';
import { keyOf, rowWriter } from '../../../src/entity/write-row.js';
import { entityKey, instant, properties, propertyName } from '../../support/arbitraries.js';

const links = { base: 'http://host:1/a', account: 'a', table: 'T' };

/** The members that a JSON reader finds for these properties, annotations left out. */
function valuesOf(list: readonly Property[]): Record<string, unknown> {
  return Object.fromEntries(list.map(({ name, json }) => [name, JSON.parse(json)]));
}

describe('the text of an entity', () => {
  it('is JSON that says what was written', () => {
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
      { numRuns: 1000 },
    );
  });

  it('gives its properties back: names, types, values and sizes, in order', () => {
    fc.assert(
      fc.property(entityKey, instant, properties, (key, timestamp, list) => {
        expect(readProperties(writeEntityText(key, timestamp, list))).toEqual(list);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives each property alone as it gives all, and none that it lacks', () => {
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
      { numRuns: 1000 },
    );
  });

  it('is read again from a request that repeats it', () => {
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
  it('say the same at every level', () => {
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

  it('of selected properties hold these and no others', () => {
    const asked = fc.uniqueArray(fc.oneof(propertyName, fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp')), {
      minLength: 1,
      // Few are searched for one by one, many are read all at once.
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

  /** The text after these merges, one by one, on an entity that is not there yet. */
  function merged(...steps: readonly (readonly Property[])[]): string {
    let text: string | undefined;
    for (const step of steps) {
      const applied = applyChange(change('merge', step), text, timestamp);
      if (!('text' in applied) || applied.text === null) throw new Error('a merge leaves an entity');
      text = applied.text;
    }
    return text ?? '';
  }

  it('lets the later value win, name by name', () => {
    fc.assert(
      fc.property(properties, properties, (first, second) => {
        const values = { ...valuesOf(first), ...valuesOf(second) };
        expect(valuesOf(readProperties(merged(first, second)))).toEqual(values);
      }),
    );
  });

  it('of the same twice, of nothing, and in two steps or one, comes to the same', () => {
    fc.assert(
      fc.property(properties, properties, properties, (a, b, c) => {
        expect(merged(a, a)).toBe(merged(a));
        expect(merged(a, [])).toBe(merged(a));
        expect(merged(a, b, c)).toBe(merged(a, readProperties(merged(b, c))));
      }),
    );
  });

  it('leaves the names in ordinal order, as a replace does', () => {
    fc.assert(
      fc.property(properties, properties, (first, second) => {
        const names = readProperties(merged(first, second)).map(({ name }) => name);
        expect(names).toEqual([...names].sort());
        expect(applyChange(change('replace', second), merged(first), timestamp)).toEqual({ text: merged(second) });
      }),
    );
  });
});
