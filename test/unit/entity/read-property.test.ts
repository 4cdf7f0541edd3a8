import { describe, expect, it } from 'vitest';
import { type EntityText, writeEntityText } from '../../../src/entity/stored/entity.js';
import { propertyReader, readProperties, readValues } from '../../../src/entity/stored/read-property.js';
import { sentProperties } from '../../support/bodies/sent-properties.js';

const timestamp = '2021-05-26T15:48:10.6785697Z';

function entity(members: string, key = { partitionKey: 'p', rowKey: 'r' }): EntityText {
  return writeEntityText(key, timestamp, sentProperties(members));
}

const read = (text: EntityText, name: string) => propertyReader(name)(text);

describe('propertyReader', () => {
  it.each([
    ['"a":"x"', 'Edm.String', '"x"'],
    ['"a":""', 'Edm.String', '""'],
    ['"a":true', 'Edm.Boolean', 'true'],
    ['"a":false', 'Edm.Boolean', 'false'],
    ['"a":-1', 'Edm.Int32', '-1'],
    ['"a":1.5', 'Edm.Double', '1.5'],
    ['"a":1e300', 'Edm.Double', '1E+300'],
    ['"a":"NaN","a@odata.type":"Edm.Double"', 'Edm.Double', '"NaN"'],
    ['"a":"7","a@odata.type":"Edm.Int64"', 'Edm.Int64', '"7"'],
    ['"a":"2020-01-01","a@odata.type":"Edm.DateTime"', 'Edm.DateTime', '"2020-01-01T00:00:00Z"'],
    ['"a":"AQ==","a@odata.type":"Edm.Binary"', 'Edm.Binary', '"AQ=="'],
    [
      '"a":"c9da6455-213d-42c9-9a79-3e9149a57833","a@odata.type":"Edm.Guid"',
      'Edm.Guid',
      '"c9da6455-213d-42c9-9a79-3e9149a57833"',
    ],
  ])('finds %s by itself, first, in the middle and last', (members, type, json) => {
    const found = { type, json };
    expect(read(entity(members), 'a')).toEqual(found);
    expect(read(entity(`${members},"b":"x"`), 'a')).toEqual(found);
    expect(read(entity(`"b":"x",${members},"c":2`), 'a')).toEqual(found);
    expect(read(entity(`"b":"7","b@odata.type":"Edm.Int64",${members}`), 'a')).toEqual(found);
  });

  it('finds the system properties', () => {
    const text = entity('"a":1', { partitionKey: 'p"\\', rowKey: '' });
    expect(read(text, 'PartitionKey')).toEqual({ type: 'Edm.String', json: '"p\\"\\\\"' });
    expect(read(text, 'RowKey')).toEqual({ type: 'Edm.String', json: '""' });
    expect(read(text, 'Timestamp')).toEqual({ type: 'Edm.DateTime', json: `"${timestamp}"` });
  });

  it('returns undefined for a missing property', () => {
    const text = entity('"abc":1,"b":"7","b@odata.type":"Edm.Int64"');
    for (const name of ['a', 'ab', 'abcd', 'bc', 'c', 'B', 'timestamp', 'odata', 'Edm', 'Int64']) {
      expect(read(text, name)).toBeUndefined();
    }
  });

  it('distinguishes a name from a longer name that begins with it', () => {
    const text = entity('"abc":1,"ab":2,"a":3,"abcd":"4","abcd@odata.type":"Edm.Int64"');
    expect(['a', 'ab', 'abc', 'abcd'].map((name) => read(text, name)?.json)).toEqual(['3', '2', '1', '"4"']);
    const annotated = entity('"ab":"4","ab@odata.type":"Edm.Int64","a":"5","a@odata.type":"Edm.Int64"');
    expect(['a', 'ab'].map((name) => read(annotated, name)?.json)).toEqual(['"5"', '"4"']);
  });

  it('finds names beyond ASCII', () => {
    const text = entity('"é":1,"汉字":"x","𐐷":"2","𐐷@odata.type":"Edm.Int64"');
    expect(['é', '汉字', '𐐷'].map((name) => read(text, name)?.json)).toEqual(['1', '"x"', '"2"']);
  });
});

/** Values that look like the text between the properties of an entity. */
const lookalikes = [
  ',"x":1',
  '","x":1,"',
  ',"x":"',
  '\\",\\"PartitionKey\\":',
  '","PartitionKey":"q","RowKey":"q","Timestamp":"2000-01-01T00:00:00Z',
  ',"x@odata.type":"Edm.Int64","x":"1"',
  '\\',
  '\\\\',
  'ends in a backslash\\',
  '"',
  '\\"',
  '\\\\"',
  ',',
  '",',
  '}',
  '"}',
  'x',
  '"x"',
  '\u0000\u001f\n',
  '\ud800',
  '\\u0022',
];

describe('propertyReader and readProperties with values that look like properties', () => {
  it.each(lookalikes)('find the same properties if a value is %j', (value) => {
    const json = JSON.stringify(value);
    const text = entity(`"a":${json},"z":2`);
    expect(read(text, 'x')).toBeUndefined();
    expect(read(text, 'z')?.json).toBe('2');
    expect(JSON.parse(read(text, 'a')?.json ?? '')).toBe(value);
    expect(read(text, 'PartitionKey')?.json).toBe('"p"');
    expect(readProperties(text).map(({ name }) => name)).toEqual(['a', 'z']);
  });

  it.each(lookalikes)('find the same properties if a key is %j', (value) => {
    const text = entity('"z":"2","z@odata.type":"Edm.Int64"', { partitionKey: value, rowKey: value });
    expect(read(text, 'x')).toBeUndefined();
    expect(JSON.parse(read(text, 'PartitionKey')?.json ?? '')).toBe(value);
    expect(JSON.parse(read(text, 'RowKey')?.json ?? '')).toBe(value);
    expect(readProperties(text).map(({ name }) => name)).toEqual(['z']);
  });
});

describe('readProperties', () => {
  it('returns the properties that were written, in order', () => {
    const properties = sentProperties(
      '"s":"a\\"\\u00e9","b":true,"i":-1,"d":1.5,"n":"NaN","n@odata.type":"Edm.Double","l":"7","l@odata.type":"Edm.Int64",' +
        '"t":"2020-01-01","t@odata.type":"Edm.DateTime","x":"AQI=","x@odata.type":"Edm.Binary",' +
        '"g":"c9da6455-213d-42c9-9a79-3e9149a57833","g@odata.type":"Edm.Guid"',
    );
    expect(readProperties(writeEntityText({ partitionKey: '', rowKey: '' }, timestamp, properties))).toEqual(
      properties,
    );
  });

  it('returns an empty list for an entity without custom properties', () => {
    expect(readProperties(entity(''))).toEqual([]);
  });
});

describe('readValues', () => {
  it('returns the keys, the Timestamp and the custom properties, and no annotation', () => {
    const values = readValues(entity('"a":1,"b@odata.type":"Edm.Int64","b":"2"'));

    expect([...values]).toEqual([
      ['PartitionKey', { type: 'Edm.String', json: '"p"' }],
      ['RowKey', { type: 'Edm.String', json: '"r"' }],
      ['Timestamp', { type: 'Edm.DateTime', json: `"${timestamp}"` }],
      ['a', { type: 'Edm.Int32', json: '1' }],
      ['b', { type: 'Edm.Int64', json: '"2"' }],
    ]);
  });
});
