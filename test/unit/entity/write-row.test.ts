import { describe, expect, it } from 'vitest';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { entityPath, keyOf, rowWriter } from '../../../src/entity/stored/write-row.js';
import { sentProperties } from '../../support/bodies/sent-properties.js';

const links = { base: 'http://127.0.0.1:10002/devstoreaccount1', account: 'devstoreaccount1', table: 'T' };
const etag = `"odata.etag":"W/\\"datetime'2021-05-26T15%3A48%3A10.6785697Z'\\""`;
const keys = '"PartitionKey":"p","RowKey":"r"';
const timestamp = '"Timestamp":"2021-05-26T15:48:10.6785697Z"';
const text = writeEntityText(
  { partitionKey: 'p', rowKey: 'r' },
  '2021-05-26T15:48:10.6785697Z',
  sentProperties(
    '"big@odata.type":"Edm.Int64","big":"1","age":39,"Birthday@odata.type":"Edm.DateTime","Birthday":"1973-10-04"',
  ),
);
const birthday = '"Birthday@odata.type":"Edm.DateTime","Birthday":"1973-10-04T00:00:00Z"';
const fullHead = `"odata.type":"devstoreaccount1.T","odata.id":"${links.base}/T(PartitionKey='p',RowKey='r')",${etag},"odata.editLink":"T(PartitionKey='p',RowKey='r')"`;

describe('rowWriter with all properties', () => {
  it('returns the stored text for minimal metadata', () => {
    expect(rowWriter('minimalmetadata', undefined, links)(text)).toBe(
      `{${etag},${keys},${timestamp},"big@odata.type":"Edm.Int64","big":"1","age":39,${birthday}}`,
    );
  });

  it('writes neither the ETag nor types for no metadata', () => {
    expect(rowWriter('nometadata', undefined, links)(text)).toBe(
      `{${keys},${timestamp},"big":"1","age":39,"Birthday":"1973-10-04T00:00:00Z"}`,
    );
  });

  it('writes the id, the edit link and the type of the Timestamp for full metadata', () => {
    expect(rowWriter('fullmetadata', undefined, links)(text)).toBe(
      `{${fullHead},${keys},"Timestamp@odata.type":"Edm.DateTime",${timestamp},"big@odata.type":"Edm.Int64","big":"1","age":39,${birthday}}`,
    );
  });
});

describe('rowWriter with selected properties', () => {
  const names = ['PartitionKey', 'Timestamp', 'Birthday', 'age', 'missing'];

  it('keeps the ETag for minimal metadata and writes a missing property as null', () => {
    expect(rowWriter('minimalmetadata', names, links)(text)).toBe(
      `{${etag},"PartitionKey":"p",${timestamp},${birthday},"age":39,"missing":null}`,
    );
  });

  it('writes only the selected properties for no metadata', () => {
    expect(rowWriter('nometadata', names, links)(text)).toBe(
      `{"PartitionKey":"p",${timestamp},"Birthday":"1973-10-04T00:00:00Z","age":39,"missing":null}`,
    );
  });

  it('writes the links for full metadata even if the keys are not selected', () => {
    expect(rowWriter('fullmetadata', ['age'], links)(text)).toBe(`{${fullHead},"age":39}`);
    expect(rowWriter('fullmetadata', ['Timestamp'], links)(text)).toBe(
      `{${fullHead},"Timestamp@odata.type":"Edm.DateTime",${timestamp}}`,
    );
  });

  it('may begin with an annotated property', () => {
    expect(rowWriter('minimalmetadata', ['big', 'age'], links)(text)).toBe(
      `{${etag},"big@odata.type":"Edm.Int64","big":"1","age":39}`,
    );
    expect(rowWriter('nometadata', ['big', 'age'], links)(text)).toBe('{"big":"1","age":39}');
    expect(rowWriter('nometadata', ['Birthday'], links)(text)).toBe('{"Birthday":"1973-10-04T00:00:00Z"}');
    expect(rowWriter('fullmetadata', ['big'], links)(text)).toBe(
      `{${fullHead},"big@odata.type":"Edm.Int64","big":"1"}`,
    );
  });

  it('may have only missing properties', () => {
    expect(rowWriter('minimalmetadata', ['x', 'y'], links)(text)).toBe(`{${etag},"x":null,"y":null}`);
    expect(rowWriter('nometadata', ['x'], links)(text)).toBe('{"x":null}');
    expect(rowWriter('fullmetadata', ['x'], links)(text)).toBe(`{${fullHead},"x":null}`);
  });
});

describe('values that look like annotations', () => {
  it.each([
    ',"x@odata.type":"Edm.Int64"',
    'ends in a comma,',
    '"@odata.type":"Edm.Int64"',
    ',"Timestamp":"x"',
    "$& $' $`",
  ])('%j stays in every row', (value) => {
    const entity = writeEntityText(
      { partitionKey: value, rowKey: '' },
      '2021-05-26T15:48:10Z',
      sentProperties(`"a":${JSON.stringify(value)},"b@odata.type":"Edm.Int64","b":"1"`),
    );
    for (const level of ['nometadata', 'minimalmetadata', 'fullmetadata'] as const) {
      const row = JSON.parse(rowWriter(level, undefined, links)(entity)) as Record<string, unknown>;
      expect(row).toMatchObject({ PartitionKey: value, Timestamp: '2021-05-26T15:48:10Z', a: value, b: '1' });
      expect('b@odata.type' in row).toBe(level !== 'nometadata');
    }
  });
});

describe('entityPath', () => {
  it.each([
    ["a''''b", "a''''''''b"],
    ['A\'aaa_bbbb2"', "A''aaa_bbbb2%22"],
    [':@', '%3A%40'],
    ['+,$', '%2B%2C%24'],
    ['=& ', '%3D%26%20'],
    ['table@storage.com0', 'table%40storage.com0'],
    ['你好', '%E4%BD%A0%E5%A5%BD'],
    ['', ''],
    ['😀%', '%F0%9F%98%80%25'],
    ["AZaz09-_.~!*'()", "AZaz09-_.~!*''()"],
  ])('writes the key %j as %s', (key, written) => {
    expect(entityPath('MyTable', key, 'r')).toBe(`MyTable(PartitionKey='${written}',RowKey='r')`);
    expect(entityPath('MyTable', 'p', key)).toBe(`MyTable(PartitionKey='p',RowKey='${written}')`);
  });

  it('writes a lone surrogate, which has no UTF-8 form, as a replacement character', () => {
    expect(entityPath('T', '\ud800', '')).toBe("T(PartitionKey='%EF%BF%BD',RowKey='')");
  });

  it('gets the keys from the stored entity', () => {
    const entity = writeEntityText({ partitionKey: "it's", rowKey: '"\\' }, '2021-05-26T15:48:10Z', []);
    expect([keyOf(entity, 'PartitionKey'), keyOf(entity, 'RowKey')]).toEqual(["it's", '"\\']);
    expect(JSON.parse(rowWriter('fullmetadata', undefined, links)(entity))).toMatchObject({
      'odata.id': `${links.base}/T(PartitionKey='it''s',RowKey='%22%5C')`,
      'odata.editLink': "T(PartitionKey='it''s',RowKey='%22%5C')",
    });
  });
});
