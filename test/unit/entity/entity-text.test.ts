import { describe, expect, it } from 'vitest';
import { etagOf, writeEntityText, writeMember } from '../../../src/entity/stored/entity.js';
import { sentProperties } from '../../support/bodies/sent-properties.js';

const key = { partitionKey: 'p', rowKey: 'r' };
const timestamp = '2021-05-26T15:48:10.6785697Z';

describe('writeEntityText', () => {
  it('writes the row with minimal metadata: ETag, keys, Timestamp, then the properties in order', () => {
    const properties = sentProperties(
      '"age":39,"sex":"male","married":true,"ratio":3.1,"double@odata.type":"Edm.Double","double":5,' +
        '"Birthday@odata.type":"Edm.DateTime","Birthday":"1973-10-04T00:00:00.0Z",' +
        '"binary@odata.type":"Edm.Binary","binary":"YmluYXJ5","clsid@odata.type":"Edm.Guid",' +
        '"clsid":"c9da6455-213d-42c9-9a79-3e9149a57833","evenratio":3.0,"large@odata.type":"Edm.Int64","large":"933311100"',
    );

    expect(writeEntityText(key, timestamp, properties)).toBe(
      '{"odata.etag":"W/\\"datetime\'2021-05-26T15%3A48%3A10.6785697Z\'\\"","PartitionKey":"p","RowKey":"r",' +
        '"Timestamp":"2021-05-26T15:48:10.6785697Z","age":39,"sex":"male","married":true,"ratio":3.1,"double":5.0,' +
        '"Birthday@odata.type":"Edm.DateTime","Birthday":"1973-10-04T00:00:00Z",' +
        '"binary@odata.type":"Edm.Binary","binary":"YmluYXJ5","clsid@odata.type":"Edm.Guid",' +
        '"clsid":"c9da6455-213d-42c9-9a79-3e9149a57833","evenratio":3.0,"large@odata.type":"Edm.Int64",' +
        '"large":"933311100"}',
    );
  });

  it('escapes keys and names', () => {
    expect(writeEntityText({ partitionKey: 'a"\\', rowKey: '你' }, timestamp, sentProperties('"汉":1'))).toContain(
      '"PartitionKey":"a\\"\\\\","RowKey":"\\u4f60","Timestamp":"2021-05-26T15:48:10.6785697Z","\\u6c49":1}',
    );
  });

  it.each([
    ['2021-05-26T15:48:16.952706Z', `W/"datetime'2021-05-26T15%3A48%3A16.952706Z'"`],
    ['2021-05-26T15:48:16Z', `W/"datetime'2021-05-26T15%3A48%3A16Z'"`],
  ])('derives from the timestamp %s the ETag %s', (instant, etag) => {
    const text = writeEntityText(key, instant, []);
    expect(etagOf(text)).toBe(etag);
    expect(JSON.parse(text)).toMatchObject({ 'odata.etag': etag, Timestamp: instant });
  });
});

describe('writeMember', () => {
  it.each([
    ['Edm.Int64', '"1"'],
    ['Edm.DateTime', '"2020-01-01T00:00:00Z"'],
    ['Edm.Guid', '"c9da6455-213d-42c9-9a79-3e9149a57833"'],
    ['Edm.Binary', '""'],
    ['Edm.Double', '"NaN"'],
    ['Edm.Double', '"-Infinity"'],
  ] as const)('annotates %s %s', (type, json) => {
    expect(writeMember('a', type, json)).toBe(`,"a@odata.type":"${type}","a":${json}`);
  });

  it.each([
    ['Edm.String', '"1"'],
    ['Edm.Boolean', 'true'],
    ['Edm.Int32', '1'],
    ['Edm.Double', '1.0'],
  ] as const)('does not annotate %s %s', (type, json) => {
    expect(writeMember('a', type, json)).toBe(`,"a":${json}`);
  });
});
