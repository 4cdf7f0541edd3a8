import { describe, expect, it } from 'vitest';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import { checkKeyCharacters } from '../../../src/entity/body/sent-entity.js';
import { TableError } from '../../../src/protocol/errors.js';
import { codeOf, rejectionOf } from '../../support/answers/rejection-of.js';
import { sentProperties } from '../../support/bodies/sent-properties.js';

const brief = (members: string) => sentProperties(members).map(({ name, type, json }) => [name, type, json]);

/** Returns the evidence of the error with which something is rejected. */
function evidenceOf(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    if (error instanceof TableError) return error.evidence();
    throw error;
  }
  throw new Error('nothing was rejected');
}

describe('readEntity', () => {
  it('reads keys and properties in the order of the body', () => {
    expect(readEntity('{"b":"x","RowKey":"r","a":1,"PartitionKey":"p"}')).toEqual({
      partitionKey: 'p',
      rowKey: 'r',
      properties: [
        { name: 'b', type: 'Edm.String', json: '"x"', valueBytes: 6 },
        { name: 'a', type: 'Edm.Int32', json: '1', valueBytes: 4 },
      ],
    });
  });

  it('accepts empty keys, and reads a null key as absent', () => {
    expect(readEntity('{"PartitionKey":"","RowKey":""}')).toEqual({ partitionKey: '', rowKey: '', properties: [] });
    expect(readEntity('{"PartitionKey":null}')).toEqual({ properties: [] });
    expect(readEntity('{}')).toEqual({ properties: [] });
  });

  it('reads keys by their exact names only', () => {
    expect(readEntity('{"partitionkey":"p","rowKey":"r"}')).toMatchObject({
      properties: [{ name: 'partitionkey' }, { name: 'rowKey' }],
    });
    expect(readEntity('{"partitionkey":"p"}').partitionKey).toBeUndefined();
  });

  it('accepts a key annotated as Edm.String', () => {
    const body =
      '{"PartitionKey@odata.type":"Edm.String","PartitionKey":"p","RowKey":"r","RowKey@odata.type":"Edm.String"}';
    expect(readEntity(body)).toEqual({ partitionKey: 'p', rowKey: 'r', properties: [] });
  });

  it.each([
    '{"RowKey":1}',
    '{"PartitionKey":true}',
    '{"PartitionKey":{}}',
    '{"RowKey":"r","RowKey@odata.type":"Edm.DateTime"}',
    '{"RowKey@odata.type":"Edm.Guid","RowKey":"c9da6455-213d-42c9-9a79-3e9149a57833"}',
    '{"PartitionKey@odata.type":"Edm.Binary","PartitionKey":""}',
  ])('rejects a key that is not a string: %s', (body) => {
    expect(rejectionOf(() => readEntity(body))).toEqual({
      code: 'InvalidInput',
      message: 'One of the request inputs is not valid.',
    });
  });

  it.each([
    '"Timestamp":null',
    '"Timestamp":"0001-01-01T00:00:00Z"',
    '"Timestamp@odata.type":"Edm.DateTime","Timestamp":"2020-01-01T00:00:00Z"',
    '"Timestamp":5',
    '"Timestamp":{"a":[]}',
    '"Timestamp@odata.type":"Edm.Nonsense","Timestamp":"x"',
  ])('ignores a Timestamp with any value: %s', (members) => {
    expect(brief(`"a":1,${members}`)).toEqual([['a', 'Edm.Int32', '1']]);
  });

  it('distinguishes properties by letter case', () => {
    expect(brief('"timestamp":"x","ETag":"1","etag":"2","Etag":"3"').map(([name]) => name)).toEqual([
      'timestamp',
      'ETag',
      'etag',
      'Etag',
    ]);
  });

  it('ignores members that begin with odata.', () => {
    expect(brief('"odata.etag":"x","odata.metadata":{"a":[]},"odata.etag":1,"a":true')).toEqual([
      ['a', 'Edm.Boolean', 'true'],
    ]);
  });
});

describe.each([1, 20, 21, 22, 23, 24, 25, 26, 252])('readEntity with %d properties', (count) => {
  const numbers = Array.from({ length: count }, (_, at) => `"N${at}":"${at}","N${at}@odata.type":"Edm.Int64"`);

  it('reads the keys and the type of each property', () => {
    const { partitionKey, rowKey, properties } = readEntity(`{${numbers.join()},"PartitionKey":"p","RowKey":"r"}`);
    expect([partitionKey, rowKey]).toEqual(['p', 'r']);
    expect(properties.map(({ type, json }) => [type, json])).toEqual(numbers.map((_, at) => ['Edm.Int64', `"${at}"`]));
  });

  it.each(['"N0":1', '"N0@odata.type":"Edm.Int64"', `"N${count - 1}":1`, `"N${count - 1}@odata.type":"Edm.Int64"`])(
    'rejects a second %s',
    (member) => {
      const body = `{${numbers.join()},${member}}`;
      expect(codeOf(() => readEntity(body))).toBe('DuplicatePropertiesSpecified');
      expect(evidenceOf(() => readEntity(body))).toMatchObject({
        check: 'property',
        property: /\w+/.exec(member)?.[0],
      });
    },
  );
});

describe('readEntity with annotations', () => {
  it('accepts a type annotation before and after its property', () => {
    expect(brief('"a@odata.type":"Edm.Int64","a":"1"')).toEqual([['a', 'Edm.Int64', '"1"']]);
    expect(brief('"a":"1","a@odata.type":"Edm.Int64"')).toEqual([['a', 'Edm.Int64', '"1"']]);
    expect(brief('"a@odata.type":"Edm.Int64","b":"1","a":"2"')).toEqual([
      ['b', 'Edm.String', '"1"'],
      ['a', 'Edm.Int64', '"2"'],
    ]);
  });

  it('ignores an annotation of an annotation, of a missing property, or of another kind', () => {
    expect(brief('"a@odata.type@odata.type":"Edm.String","a":1')).toEqual([['a', 'Edm.Int32', '1']]);
    expect(brief('"b@odata.type":"Edm.Nonsense","a":1')).toEqual([['a', 'Edm.Int32', '1']]);
    expect(brief('"a@odata.note":{},"a":1')).toEqual([['a', 'Edm.Int32', '1']]);
    expect(brief('"a@odata.type":null,"a":1')).toEqual([['a', 'Edm.Int32', '1']]);
  });

  it.each([
    '"a@odata.type":"Edm.Decimal","a":"1"',
    '"a@odata.type":"Edm.DateTimeOffset","a":"2020-01-01"',
    '"a@odata.type":"edm.string","a":"x"',
    '"a@odata.type":"","a":"x"',
    '"a@odata.type":5,"a":"x"',
  ])('rejects an unknown type: %s', (members) => {
    expect(codeOf(() => sentProperties(members))).toBe('InvalidInput');
  });

  it.each(['5', 'true', '{}', '["Edm.String"]'])('rejects %s as the name of a type', (type) => {
    const rejection = { code: 'InvalidInput', message: 'One of the request inputs is not valid.' };
    expect(rejectionOf(() => sentProperties(`"a@odata.type":${type},"a":"x"`))).toEqual(rejection);
    expect(rejectionOf(() => readEntity(`{"RowKey@odata.type":${type},"RowKey":"x"}`))).toEqual(rejection);
  });

  it('ignores an annotation of no property', () => {
    expect(readEntity('{"@odata.type":"T","@a":1}')).toEqual({ properties: [] });
  });

  it('has no key that is missing or null in the body', () => {
    expect(readEntity('{"PartitionKey":null}')).toEqual({ properties: [] });
    expect(readEntity('{"RowKey":"r"}')).toEqual({ rowKey: 'r', properties: [] });
    expect(readEntity('{"PartitionKey":"p"}')).toEqual({ partitionKey: 'p', properties: [] });
  });

  it('drops nulls with and without an annotation', () => {
    expect(brief('"a":null,"b@odata.type":"Edm.Int64","b":null,"c":1')).toEqual([['c', 'Edm.Int32', '1']]);
  });
});

describe('readEntity with invalid members', () => {
  it.each([
    '"a":1,"a":2',
    '"a":1,"b":2,"a":null',
    '"a":1,"\\u0061":2',
    '"PartitionKey":"p","PartitionKey":"p"',
    '"a@odata.type":"Edm.Int32","a":1,"a@odata.type":"Edm.Int32"',
  ])('rejects a name given twice: %s', (members) => {
    expect(codeOf(() => readEntity(`{${members}}`))).toBe('DuplicatePropertiesSpecified');
  });

  it.each(['123', '', 'a b', 'a-b', 'a.b', '1a', 'é!', '$x', 'a\\"b', '\\u0000', '\\ud800'])(
    'rejects the property name "%s"',
    (name) => {
      expect(codeOf(() => sentProperties(`"${name}":1`))).toBe('PropertyNameInvalid');
      expect(codeOf(() => sentProperties(`"${name}":null`))).toBe('PropertyNameInvalid');
    },
  );

  it.each(['_', 'a1_', '汉字汉字汉', 'Éa', '\u{1d4d0}', 'ⅷ', 'a\u0301', 'a\u200d', '𐐷𐐨'])(
    'accepts the property name %s',
    (name) => {
      expect(brief(`"${name}":1`)).toEqual([[name, 'Edm.Int32', '1']]);
    },
  );

  it.each(['{}', '[]', '[1]', '{"a":1}'])('rejects %s as a value', (value) => {
    expect(codeOf(() => sentProperties(`"a":${value}`))).toBe('InvalidInput');
  });

  it('reports the first fault of the body', () => {
    expect(codeOf(() => sentProperties('"1":1,"a":[]'))).toBe('PropertyNameInvalid');
    expect(codeOf(() => sentProperties('"a":[],"1":1'))).toBe('InvalidInput');
    expect(codeOf(() => readEntity('{"RowKey":1,"1":1}'))).toBe('PropertyNameInvalid');
  });
});

describe('checkKeyCharacters', () => {
  it.each(['/', '\\', '#', '?', '\u0000', '\u001f', '\u007f', '\u009f', '\t'])('rejects %j in both keys', (bad) => {
    const key = `a${bad}b`;
    expect(rejectionOf(() => checkKeyCharacters({ partitionKey: key, rowKey: '' }, true))).toEqual({
      code: 'OutOfRangeInput',
      message: `The 'PartitionKey' parameter of value '${key}' is out of range.`,
    });
    expect(rejectionOf(() => checkKeyCharacters({ partitionKey: undefined, rowKey: key }, true)).message).toContain(
      "'RowKey'",
    );
    expect(rejectionOf(() => checkKeyCharacters({ partitionKey: undefined, rowKey: key }, false)).message).toBe(
      'One of the request inputs is out of range.',
    );
  });

  it.each(['', ':@', '+,$', '=& ', 'A\'aaa_bbbb2"', 'table@storage.com0', '你好', '%', '😀', '\u00a0'])(
    'accepts the key %j',
    (key) => {
      expect(() => checkKeyCharacters({ partitionKey: key, rowKey: key }, true)).not.toThrow();
    },
  );
});

describe('The evidence of a rejected body', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"1":1}', '1'],
    ['{"a":[]}', 'a'],
    ['{"b@odata.type":"Edm.Int32","b":"x"}', 'b'],
  ])('of %s is the property %s', (body, property) => {
    expect(evidenceOf(() => readEntity(body))).toMatchObject({ check: 'property', property });
  });

  it('is the key with a character that keys cannot have', () => {
    expect(evidenceOf(() => checkKeyCharacters({ partitionKey: 'p', rowKey: 'a/b' }, false))).toEqual({
      check: 'key-character',
      key: 'RowKey',
      value: 'a/b',
    });
  });
});
