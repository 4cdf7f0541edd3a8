import { describe, expect, it } from 'vitest';
import type { PartFacts } from '../../../src/dialects/dialect.js';
import { storageDialect } from '../../../src/dialects/storage/storage-dialect.js';
import { writeErrorPart, writeMultipart, writePart } from '../../../src/http/write-multipart.js';
import type { Answer } from '../../../src/operations/operation.js';
import { PageBuffer } from '../../../src/operations/page-buffer.js';
import { TableError } from '../../../src/protocol/errors.js';

const etag = `W/"datetime'2020-12-18T15%3A42%3A08.5037099Z'"`;
const location = "http://host/account/T(PartitionKey='p',RowKey='r')";
const jsonType = 'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8';

/** Returns a part as lines, without the two line ends after its headers. */
function linesOf(answer: Answer, contentId?: string): string[] {
  const { text, body } = writePart(storageDialect, answer, { level: 'minimalmetadata', prefer: undefined, contentId });
  expect(text.endsWith('\r\n\r\n')).toBe(true);
  return [...text.slice(0, -4).split('\r\n'), ...(body === '' ? [] : [body])];
}

describe('writing a part', () => {
  it('writes an insert without content', () => {
    const answer = {
      status: 204,
      etag,
      location,
      dataServiceId: location,
      preferenceApplied: 'return-no-content',
    } as const;

    expect(linesOf(answer, '1')).toEqual([
      'HTTP/1.1 204 No Content',
      'Content-ID: 1',
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      'Preference-Applied: return-no-content',
      'DataServiceVersion: 3.0;',
      `Location: ${location}`,
      `DataServiceId: ${location}`,
      `ETag: ${etag}`,
    ]);
  });

  it('writes an insert with content', () => {
    expect(linesOf({ status: 201, etag, location, json: '{"PartitionKey":"p"}' })).toEqual([
      'HTTP/1.1 201 Created',
      'DataServiceVersion: 3.0;',
      jsonType,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      `Location: ${location}`,
      `ETag: ${etag}`,
      '{"PartitionKey":"p"}',
    ]);
  });

  it('writes an update and a delete', () => {
    const shared = ['X-Content-Type-Options: nosniff', 'Cache-Control: no-cache', 'DataServiceVersion: 1.0;'];

    expect(linesOf({ status: 204, etag })).toEqual(['HTTP/1.1 204 No Content', ...shared, `ETag: ${etag}`]);
    expect(linesOf({ status: 204 }, '')).toEqual(['HTTP/1.1 204 No Content', 'Content-ID: ', ...shared]);
  });

  it('writes a page of a query and its continuation headers', () => {
    const continuation = ['x-ms-continuation-NextPartitionKey', '1!4!cA--'];

    const page = new PageBuffer(12);
    page.bytes.write('{"value":[]}');

    expect(linesOf({ status: 200, json: page, continuation })).toEqual([
      'HTTP/1.1 200 OK',
      'DataServiceVersion: 3.0;',
      jsonType,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      'x-ms-continuation-NextPartitionKey: 1!4!cA--',
      '{"value":[]}',
    ]);
  });
});

describe('writing the part of an error', () => {
  const failed: PartFacts = { level: 'minimalmetadata', prefer: 'return-no-content', contentId: '2' };

  it('writes an error of header set B2 with Cache-Control and Preference-Applied', () => {
    const { text, body } = writeErrorPart(storageDialect, new TableError('EntityAlreadyExists', { at: 2 }), {
      requestId: '"id"',
      isSingle: false,
      part: failed,
    });

    expect(text.split('\r\n')).toEqual([
      'HTTP/1.1 409 Conflict',
      'Content-ID: 2',
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      'Preference-Applied: return-no-content',
      'DataServiceVersion: 3.0;',
      jsonType,
      '',
      '',
    ]);
    expect(body).toMatch(
      /^\{"odata\.error":\{"code":"EntityAlreadyExists","message":\{"lang":"en-US","value":"2:The specified entity already exists\.\\nRequestId:\\"id\\"\\nTime:[^"]*"\}\}\}$/,
    );
  });

  it('writes an error of header set B1 without these headers', () => {
    const { text } = writeErrorPart(storageDialect, new TableError('TableNotFound'), {
      requestId: 'id',
      isSingle: true,
      part: { ...failed, level: 'nometadata' },
    });

    expect(text.split('\r\n')).toEqual([
      'HTTP/1.1 404 Not Found',
      'Content-ID: 2',
      'X-Content-Type-Options: nosniff',
      'DataServiceVersion: 3.0;',
      jsonType.replace('minimalmetadata', 'nometadata'),
      '',
      '',
    ]);
  });
});

describe('putting parts together', () => {
  const parts = [
    { text: 'HTTP/1.1 204 No Content\r\nA: b\r\n\r\n', body: '' },
    { text: 'HTTP/1.1 201 Created\r\nA: b\r\n\r\n', body: '{}' },
  ];
  const head = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
  const guid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

  it('ends a part without a body with a blank line, and a part with a body with one line end', () => {
    const { contentType, body } = writeMultipart(parts, true);

    expect(contentType.replace(guid, 'A')).toBe('multipart/mixed; boundary=batchresponse_A');
    const [batch = '', set = ''] = [...new Set(body.match(guid) ?? [])];
    expect(body.replaceAll(batch, 'A').replaceAll(set, 'B')).toBe(
      '--batchresponse_A\r\nContent-Type: multipart/mixed; boundary=changesetresponse_B\r\n\r\n' +
        `--changesetresponse_B\r\n${head}HTTP/1.1 204 No Content\r\nA: b\r\n\r\n\r\n` +
        `--changesetresponse_B\r\n${head}HTTP/1.1 201 Created\r\nA: b\r\n\r\n{}\r\n` +
        '--changesetresponse_B--\r\n--batchresponse_A--\r\n',
    );
    expect(contentType).toContain(batch);
    expect(set).not.toBe(batch);
  });

  it('puts a query directly into the batch', () => {
    const { body } = writeMultipart(parts.slice(1), false);

    expect(body.replace(guid, 'A').replace(guid, 'A')).toBe(
      `--batchresponse_A\r\n${head}HTTP/1.1 201 Created\r\nA: b\r\n\r\n{}\r\n--batchresponse_A--\r\n`,
    );
  });

  it('never uses a boundary twice', () => {
    const boundaries = Array.from({ length: 100 }, () => writeMultipart(parts, true).body.match(guid) ?? []);

    expect(new Set(boundaries.flat()).size).toBe(200);
  });
});
