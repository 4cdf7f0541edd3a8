import { describe, expect, it } from 'vitest';
import type { Property } from '../../../src/entity/stored/entity.js';
import { checkEntitySize, entityBytes } from '../../../src/entity/stored/entity-size.js';
import { sentProperties, stringOf } from '../../support/bodies/sent-properties.js';

const key = { partitionKey: '', rowKey: '' };
const mebibyte = 1024 * 1024;

function binaryOf(name: string, bytes: number): Property {
  return { name, type: 'Edm.Binary', json: `"${Buffer.alloc(bytes).toString('base64')}"`, valueBytes: bytes + 4 };
}

function manyOf(count: number): Property[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `p${at}`,
    type: 'Edm.Boolean',
    json: 'true',
    valueBytes: 1,
  }));
}

/** Returns properties with which an entity with empty keys has exactly this size in the formula. */
function filling(bytes: number): Property[] {
  const properties: Property[] = [];
  let left = bytes - 4;
  for (let at = 0; left > 0; at++) {
    const head = 8 + 2 * `p${at}`.length + 4;
    const value = Math.min(left - head, 65_536);
    properties.push(binaryOf(`p${at}`, value));
    left -= head + value;
  }
  return properties;
}

describe('entityBytes', () => {
  it('counts four bytes, and two for each UTF-16 unit of the keys', () => {
    expect(entityBytes({ partitionKey: 'ab', rowKey: '😀' }, [])).toBe(4 + 4 + 4);
  });

  it.each([
    ['"n":"abc"', 2 * 3 + 4],
    ['"n":"YmluYXJ5","n@odata.type":"Edm.Binary"', 6 + 4],
    ['"n":"2020-01-01","n@odata.type":"Edm.DateTime"', 8],
    ['"n":"c9da6455-213d-42c9-9a79-3e9149a57833","n@odata.type":"Edm.Guid"', 16],
    ['"n":1.5', 8],
    ['"n":"1","n@odata.type":"Edm.Int64"', 8],
    ['"n":1', 4],
    ['"n":true', 1],
  ])('counts %s as eight bytes, two for the name, and %i for the value', (members, valueBytes) => {
    expect(entityBytes(key, sentProperties(members))).toBe(4 + 8 + 2 + valueBytes);
  });
});

describe('checkEntitySize', () => {
  it('accepts 252 properties and rejects 253', () => {
    expect(checkEntitySize(key, manyOf(252))).toBeUndefined();
    expect(checkEntitySize(key, manyOf(253))).toBe('properties-too-many');
  });

  it('accepts a property name of 255 characters and rejects one of 256', () => {
    expect(checkEntitySize(key, [stringOf('n'.repeat(255), 0)])).toBeUndefined();
    expect(checkEntitySize(key, [stringOf('n'.repeat(256), 0)])).toBe('property-name-too-long');
  });

  it('accepts a string of 32,768 UTF-16 units and rejects one of 32,769', () => {
    expect(checkEntitySize(key, [stringOf('s', 32_768)])).toBeUndefined();
    expect(checkEntitySize(key, [stringOf('s', 32_769)])).toBe('property-value-too-large');
  });

  it('accepts a binary of 65,536 bytes and rejects one of 65,537', () => {
    expect(checkEntitySize(key, [binaryOf('b', 65_536)])).toBeUndefined();
    expect(checkEntitySize(key, [binaryOf('b', 65_537)])).toBe('property-value-too-large');
  });

  it('accepts keys of 512 UTF-16 units and rejects keys of 513', () => {
    expect(checkEntitySize({ partitionKey: 'k'.repeat(512), rowKey: 'k'.repeat(512) }, [])).toBeUndefined();
    expect(checkEntitySize({ partitionKey: 'k'.repeat(513), rowKey: '' }, [])).toBe('property-value-too-large');
    expect(checkEntitySize({ partitionKey: '', rowKey: 'k'.repeat(513) }, [])).toBe('property-value-too-large');
  });

  it('accepts an entity of 1 MiB and rejects one byte more', () => {
    expect(entityBytes(key, filling(mebibyte))).toBe(mebibyte);
    expect(checkEntitySize(key, filling(mebibyte))).toBeUndefined();
    expect(checkEntitySize(key, filling(mebibyte + 1))).toBe('entity-too-large');
  });

  it('checks the number of properties, then names, then the entity, then each value', () => {
    const tooLong = stringOf('n'.repeat(256), 0);
    const tooLarge = stringOf('s', 32_769);
    const whole = filling(mebibyte);
    expect(checkEntitySize(key, [...manyOf(252), tooLong, ...whole])).toBe('properties-too-many');
    expect(checkEntitySize(key, [tooLong, ...whole])).toBe('property-name-too-long');
    expect(checkEntitySize(key, [tooLarge, ...whole])).toBe('entity-too-large');
    expect(checkEntitySize(key, [stringOf('s', mebibyte)])).toBe('entity-too-large');
  });
});
