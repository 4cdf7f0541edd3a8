import { describe, expect, it } from 'vitest';
import { storageDialect } from '../../../../src/dialects/storage/storage-dialect.js';
import { writeEntityText } from '../../../../src/entity/stored/entity.js';
import { PageMemory } from '../../../../src/formats/json/page-buffer.js';
import type { Representation } from '../../../../src/formats/representation.js';
import type { Answer } from '../../../../src/operations/answer.js';
import { defaultServiceProperties } from '../../../../src/protocol/service-properties.js';

const key = { partitionKey: 'p', rowKey: 'r' };
const text = writeEntityText(key, '2020-12-18T15:42:08.5037099Z', []);
const etag = ['ETag', `W/"datetime'2020-12-18T15%3A42%3A08.5037099Z'"`];
const links = { base: 'http://host/account', account: 'account', table: 'T' };
const entityUrl = "http://host/account/T(PartitionKey='p',RowKey='r')";
const tableUrl = "http://host/account/Tables('T')";
const noCache = ['Cache-Control', 'no-cache'];
const json = [...noCache, 'Content-Type', 'application/json;odata=nometadata;streaming=true;charset=utf-8'];
const xml = ['Content-Type', 'application/xml'];

function write(answer: Answer, prefer?: Representation['prefer']) {
  const { status, headers, body } = storageDialect.writeAnswer(answer, {
    requestId: 'id',
    clientRequestId: undefined,
    namedVersion: '2019-02-02',
    version: '2019-02-02',
    accept: undefined,
    operation: undefined,
    request: { method: 'GET', target: '/', headers: {} },
    representation: { level: 'nometadata', prefer, links },
    speaksXml: false,
    isGone: () => false,
    pages: new PageMemory(),
  });
  const common = headers.findIndex((name) => name === 'X-Content-Type-Options' || name === 'Server');
  return { status, own: headers.slice(0, common), body };
}

const row = '{"PartitionKey":"p","RowKey":"r","Timestamp":"2020-12-18T15:42:08.5037099Z"}';
const table = { name: 'T', created: '0123456789abcdef' };
const page = { rows: [text], next: key, examined: 2 };
const policies = [{ id: 'one' }];

describe('the storage service', () => {
  it.each<[Answer, number, string[], unknown]>([
    [{ kind: 'entity', text, select: undefined }, 200, [...json, ...etag], row],
    [
      { kind: 'entity', text, select: { text: 'RowKey', names: ['RowKey'] } },
      200,
      [...json, ...etag],
      '{"RowKey":"r"}',
    ],
    [{ kind: 'entity-inserted', key, text }, 201, [...json, ...etag, 'Location', entityUrl], row],
    [{ kind: 'entity-updated', text, isUpsert: false }, 204, [...noCache, ...etag], undefined],
    [{ kind: 'entity-deleted' }, 204, noCache, undefined],
    [
      { kind: 'entities', page, query: { filter: undefined, select: undefined, top: undefined, startAt: undefined } },
      200,
      [...json, 'x-ms-continuation-NextPartitionKey', '1!4!cA--', 'x-ms-continuation-NextRowKey', '1!4!cg--'],
      `{"value":[${row}]}`,
    ],
    [{ kind: 'table', name: 'T' }, 200, json, '{"TableName":"T"}'],
    [{ kind: 'table-created', ...table }, 201, [...json, 'Location', tableUrl], '{"TableName":"T"}'],
    [{ kind: 'table-deleted' }, 204, noCache, undefined],
    [{ kind: 'tables', tables: [table], next: undefined }, 200, json, '{"value":[{"TableName":"T"}]}'],
    [
      { kind: 'tables', tables: [], next: table },
      200,
      [...json, 'x-ms-continuation-NextTableName', '1!24!dAEwMTIzNDU2Nzg5YWJjZGVm'],
      '{"value":[]}',
    ],
    [{ kind: 'access-policies', policies }, 200, xml, expect.stringContaining('<Id>one</Id>')],
    [{ kind: 'access-policies-set' }, 204, [], undefined],
    [
      { kind: 'service-properties', properties: defaultServiceProperties },
      200,
      xml,
      expect.stringContaining('<Cors />'),
    ],
    [{ kind: 'service-properties-set' }, 202, [], ''],
    [
      { kind: 'service-stats', syncedAt: new Date(0) },
      200,
      xml,
      expect.stringContaining('<LastSyncTime>Thu, 01 Jan 1970 00:00:00 GMT</LastSyncTime>'),
    ],
  ])('writes %j with status %i', (answer, status, own, body) => {
    expect(write(answer)).toEqual({ status, own, body });
  });

  it.each<[Answer, string[], string]>([
    [{ kind: 'entity-inserted', key, text }, [...noCache, ...etag], entityUrl],
    [{ kind: 'table-created', ...table }, noCache, tableUrl],
  ])('writes %j without a body if the client prefers so', (answer, first, url) => {
    const own = [...first, 'Location', url, 'DataServiceId', url, 'Preference-Applied', 'return-no-content'];

    expect(write(answer, 'return-no-content')).toEqual({ status: 204, own, body: undefined });
  });

  it('confirms the preference for a body', () => {
    const { status, own } = write({ kind: 'table-created', ...table }, 'return-content');

    expect(status).toBe(201);
    expect(own).toEqual([...json, 'Location', tableUrl, 'Preference-Applied', 'return-content']);
  });
});
