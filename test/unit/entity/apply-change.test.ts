import { describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import type { Change, ChangeRejection } from '../../../src/entity/stored/change.js';
import { etagOf, writeEntityText } from '../../../src/entity/stored/entity.js';
import { type Applied, applyChange } from '../../../src/store/judge-changes.js';
import { sentProperties, stringOf } from '../../support/bodies/sent-properties.js';

const key = { partitionKey: 'p', rowKey: 'r' };
const before = '2020-01-01T00:00:00Z';
const after = '2021-01-01T00:00:00.5Z';

const stored = (members: string) => writeEntityText(key, before, sentProperties(members));
const insert = (members: string): Change => ({ kind: 'insert', key, properties: sentProperties(members) });
const write = (kind: 'replace' | 'merge', members: string, ifMatch?: string): Change => ({
  kind,
  key,
  properties: sentProperties(members),
  ifMatch,
});

/** Returns the properties of a changed entity as pairs of name and value. */
function propertiesOf(applied: Applied): [string, unknown][] {
  if (!('text' in applied) || applied.text === null) throw new Error('The change did not return an entity.');
  const { 'odata.etag': etag, PartitionKey, RowKey, Timestamp, ...rest } = JSON.parse(applied.text);
  expect({ etag, PartitionKey, RowKey, Timestamp }).toEqual({
    etag: `W/"datetime'2021-01-01T00%3A00%3A00.5Z'"`,
    PartitionKey: 'p',
    RowKey: 'r',
    Timestamp: after,
  });
  return Object.entries(rest);
}

const rejected = (rejection: ChangeRejection) => ({ rejection });

describe('applyChange with an insert', () => {
  it('keeps the order of the properties', () => {
    expect(propertiesOf(applyChange(insert('"b":1,"a":2,"B":3'), undefined, after))).toEqual([
      ['b', 1],
      ['a', 2],
      ['B', 3],
    ]);
  });

  it('checks the size of the entity, then rejects an entity that exists', () => {
    const tooLarge: Change = { kind: 'insert', key, properties: [stringOf('s', 32_769)] };
    expect(applyChange(insert('"a":1'), stored(''), after)).toEqual(rejected('entity-exists'));
    expect(applyChange(tooLarge, stored(''), after)).toEqual(rejected('property-value-too-large'));
  });
});

describe('applyChange with a delete', () => {
  it.each([undefined, '*', etagOf(stored(''))])('removes an entity on the condition %s', (ifMatch) => {
    expect(applyChange({ kind: 'delete', key, ifMatch }, stored(''), after)).toEqual({ text: null });
  });

  it('rejects an entity that is missing or has another ETag', () => {
    expect(applyChange({ kind: 'delete', key, ifMatch: undefined }, undefined, after)).toEqual(
      rejected('entity-missing'),
    );
    expect(applyChange({ kind: 'delete', key, ifMatch: `W/"datetime'x'"` }, stored(''), after)).toEqual(
      rejected('etag-differs'),
    );
  });
});

describe('applyChange with a replace', () => {
  it('drops the old properties and sorts the new ones in ordinal order, upper case first', () => {
    const applied = applyChange(
      write('replace', '"b":1,"ETag":2,"a":3,"etag":4,"Etag":5,"_":6'),
      stored('"c":9'),
      after,
    );
    expect(propertiesOf(applied).map(([name]) => name)).toEqual(['ETag', 'Etag', '_', 'a', 'b', 'etag']);
  });

  it('creates a missing entity, with sorted properties, if there is no condition', () => {
    expect(propertiesOf(applyChange(write('replace', '"b":1,"a":2'), undefined, after))).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});

describe('applyChange with a merge', () => {
  it('keeps the other properties of the entity and sorts all of them', () => {
    expect(propertiesOf(applyChange(write('merge', '"c":1,"B":2'), stored('"z":9,"c":8,"a":7'), after))).toEqual([
      ['B', 2],
      ['a', 7],
      ['c', 1],
      ['z', 9],
    ]);
  });

  it('changes the type of a property with its value', () => {
    const existing = stored('"a":"7","a@odata.type":"Edm.Int64","b":"1","b@odata.type":"Edm.Int64"');
    expect(propertiesOf(applyChange(write('merge', '"a":"x"'), existing, after))).toEqual([
      ['a', 'x'],
      ['b@odata.type', 'Edm.Int64'],
      ['b', '1'],
    ]);
  });

  it('keeps the old value of a property sent as null', () => {
    expect(propertiesOf(applyChange(write('merge', '"a":null,"b":2'), stored('"a":1'), after))).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('sets a new Timestamp even if no property changes', () => {
    expect(propertiesOf(applyChange(write('merge', ''), stored('"a":1'), after))).toEqual([['a', 1]]);
  });

  it('creates a missing entity if there is no condition', () => {
    expect(propertiesOf(applyChange(write('merge', '"b":1,"a":2'), undefined, after))).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('checks the limits of the merged entity', () => {
    const names = Array.from({ length: 252 }, (_, at) => `"p${at}":1`).join(',');
    expect(applyChange(write('merge', '"p0":2'), stored(names), after)).not.toHaveProperty('rejection');
    expect(applyChange(write('merge', '"more":2'), stored(names), after)).toEqual(rejected('properties-too-many'));
    const halves = Array.from({ length: 16 }, (_, at) => stringOf(`s${at}`, 32_000));
    const existing = writeEntityText(key, before, halves);
    const change: Change = { kind: 'merge', key, properties: [stringOf('last', 32_000)], ifMatch: undefined };
    expect(applyChange(change, existing, after)).toEqual(rejected('entity-too-large'));
  });
});

describe('applyChange with a condition', () => {
  const etag = etagOf(stored(''));
  const other = `W/"datetime'2019-01-01T00%3A00%3A00Z'"`;

  it.each(['replace', 'merge'] as const)('checks for a %s the existence, then the ETag, then the size', (kind) => {
    const tooLarge = (ifMatch: string): Change => ({ kind, key, properties: [stringOf('s', 32_769)], ifMatch });
    expect(applyChange(write(kind, '', '*'), undefined, after)).toEqual(rejected('entity-missing'));
    expect(applyChange(write(kind, '', other), undefined, after)).toEqual(rejected('entity-missing'));
    expect(applyChange(tooLarge(other), stored(''), after)).toEqual(rejected('etag-differs'));
    expect(applyChange(tooLarge(etag), stored(''), after)).toEqual(rejected('property-value-too-large'));
    expect(propertiesOf(applyChange(write(kind, '"a":1', '*'), stored(''), after))).toEqual([['a', 1]]);
    expect(propertiesOf(applyChange(write(kind, '"a":1', etag), stored(''), after))).toEqual([['a', 1]]);
  });

  it('checks for a delete the existence, then the ETag', () => {
    const remove = (ifMatch: string | undefined): Change => ({ kind: 'delete', key, ifMatch });
    expect(applyChange(remove('*'), undefined, after)).toEqual(rejected('entity-missing'));
    expect(applyChange(remove(undefined), undefined, after)).toEqual(rejected('entity-missing'));
    expect(applyChange(remove(other), stored(''), after)).toEqual(rejected('etag-differs'));
    expect(applyChange(remove(etag), stored(''), after)).toEqual({ text: null });
    expect(applyChange(remove('*'), stored(''), after)).toEqual({ text: null });
  });

  it.each([
    `"datetime'2020-01-01T00%3A00%3A00Z'"`,
    `W/"datetime'2020-01-01T00%3A00%3A00.0Z'"`,
    'W/"0x5B168C7B6E589D2"',
  ])('rejects the ETag %s, because it is not in canonical form', (ifMatch) => {
    expect(applyChange({ kind: 'delete', key, ifMatch }, stored(''), after)).toEqual(rejected('etag-differs'));
  });
});

describe('applyChange with the traits of another service', () => {
  it('keeps the order in which properties were written first [cosmos 2]', () => {
    const replaced = applyChange(write('replace', '"b":1,"a":2'), stored('"z":0'), after, cosmosTraits);
    expect(propertiesOf(replaced).map(([name]) => name)).toEqual(['b', 'a']);
    const merged = applyChange(write('merge', '"c":3,"b":"x"'), stored('"b":1,"a":2'), after, cosmosTraits);
    expect(propertiesOf(merged)).toEqual([
      ['b', 'x'],
      ['a', 2],
      ['c', 3],
    ]);
  });

  it('uses the limits of that service [cosmos 0; cosmos 13]', () => {
    const named = (name: string) => ({ ...insert(''), properties: [stringOf(name, 1)] }) as Change;
    expect(applyChange(named('n'.repeat(1000)), undefined, after)).toEqual(rejected('property-name-too-long'));
    expect(applyChange(named('n'.repeat(1000)), undefined, after, cosmosTraits)).toHaveProperty('text');
    const keyed = (rowKey: string): Change => ({ kind: 'insert', key: { partitionKey: 'p', rowKey }, properties: [] });
    expect(applyChange(keyed('r'.repeat(256)), undefined, after)).toHaveProperty('text');
    const tooLong = rejected('property-value-too-large');
    expect(applyChange(keyed('r'.repeat(256)), undefined, after, cosmosTraits)).toEqual(tooLong);
  });
});
