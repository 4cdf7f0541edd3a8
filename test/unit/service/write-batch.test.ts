import { describe, expect, it } from 'vitest';
import type { RequestFacts, WrittenPart } from '../../../src/dialects/dialect.js';
import { storageDialect } from '../../../src/dialects/storage/storage-dialect.js';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { PageMemory } from '../../../src/formats/json/page-buffer.js';
import { jsonOfErrors, type Prefer } from '../../../src/formats/representation.js';
import type { Answer } from '../../../src/operations/answer.js';
import { TableError } from '../../../src/protocol/errors.js';
import type { FailedTransactionAnswer, TransactionAnswer } from '../../../src/service/answers.js';
import { writeBatch } from '../../../src/service/batch/write-batch.js';

const memory = new PageMemory();

const key = { partitionKey: 'p', rowKey: 'r' };
const text = writeEntityText(key, '2020-12-18T15:42:08.5037099Z', []);
const etag = `W/"datetime'2020-12-18T15%3A42%3A08.5037099Z'"`;
const links = { base: 'http://host/account', account: 'account', table: 'T' };
const location = "http://host/account/T(PartitionKey='p',RowKey='r')";
const jsonType = 'Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8';

const factsOf = (requestId = 'id'): RequestFacts => ({
  requestId,
  clientRequestId: undefined,
  namedVersion: '2019-02-02',
  version: '2019-02-02',
  accept: undefined,
  operation: undefined,
  request: { method: 'POST', target: '/$batch', headers: {} },
  representation: jsonOfErrors,
  speaksXml: false,
  isGone: () => false,
  pages: memory,
});

/** Writes the answer of a batch and returns its only part as lines, the body last. */
async function writeOnlyPart(answer: TransactionAnswer | FailedTransactionAnswer, requestId?: string) {
  const { contentType, body } = await writeBatch(answer, storageDialect, factsOf(requestId), Date.now);
  const [, boundary] = contentType.split('boundary=');
  const head = `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
  expect(body.startsWith(head)).toBe(true);
  expect(body.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true);
  return body.slice(head.length, -`\r\n--${boundary}--\r\n`.length).split('\r\n');
}

/** Returns a part as lines. Without a body, the last two lines are empty. */
function linesOf(answer: Answer, { prefer, contentId }: { prefer?: Prefer; contentId?: string } = {}) {
  const representation = { level: 'minimalmetadata', prefer, links } as const;
  return writeOnlyPart({ kind: 'transaction', isChangeSet: false, parts: [{ answer, representation, contentId }] });
}

describe('writing a part', () => {
  it('writes an insert without content', async () => {
    const lines = await linesOf(
      { kind: 'entity-inserted', key, text },
      { prefer: 'return-no-content', contentId: '1' },
    );

    expect(lines).toEqual([
      'HTTP/1.1 204 No Content',
      'Content-ID: 1',
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      'Preference-Applied: return-no-content',
      'DataServiceVersion: 3.0;',
      `Location: ${location}`,
      `DataServiceId: ${location}`,
      `ETag: ${etag}`,
      '',
      '',
    ]);
  });

  it('writes an insert with content', async () => {
    expect(await linesOf({ kind: 'entity-inserted', key, text })).toEqual([
      'HTTP/1.1 201 Created',
      'DataServiceVersion: 3.0;',
      jsonType,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      `Location: ${location}`,
      `ETag: ${etag}`,
      '',
      `{"odata.metadata":"http://host/account/$metadata#T/@Element",${text.slice(1)}`,
    ]);
  });

  it('writes an update and a delete', async () => {
    const shared = ['X-Content-Type-Options: nosniff', 'Cache-Control: no-cache', 'DataServiceVersion: 1.0;'];

    expect(await linesOf({ kind: 'entity-updated', text, isUpsert: false })).toEqual([
      'HTTP/1.1 204 No Content',
      ...shared,
      `ETag: ${etag}`,
      '',
      '',
    ]);
    expect(await linesOf({ kind: 'entity-deleted' }, { contentId: '' })).toEqual([
      'HTTP/1.1 204 No Content',
      'Content-ID: ',
      ...shared,
      '',
      '',
    ]);
  });

  it.each([1, 1000])('writes a page of %i rows and its continuation headers', async (count) => {
    const page = { rows: Array.from({ length: count }, () => text), next: key, examined: 0 };

    expect(
      await linesOf({
        kind: 'entities',
        page,
        query: { filter: undefined, select: undefined, top: undefined, startAt: undefined },
      }),
    ).toEqual([
      'HTTP/1.1 200 OK',
      'DataServiceVersion: 3.0;',
      jsonType,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      'x-ms-continuation-NextPartitionKey: 1!4!cA--',
      'x-ms-continuation-NextRowKey: 1!4!cg--',
      '',
      `{"odata.metadata":"http://host/account/$metadata#T","value":[${page.rows.join(',')}]}`,
    ]);
  });
});

describe('writing the part of an error', () => {
  const failed = {
    kind: 'failed-transaction',
    isChangeSet: false,
    operation: 'Insert Entity',
    laterPrefer: undefined,
    part: { representation: { level: 'minimalmetadata', prefer: 'return-no-content', links }, contentId: '2' },
  } as const;

  it('writes an error of header set B2 with Cache-Control and Preference-Applied', async () => {
    const error = new TableError('EntityAlreadyExists', { at: 2 });
    const lines = await writeOnlyPart({ ...failed, isSingle: false, error }, '"id"');

    expect(lines.slice(0, -1)).toEqual([
      'HTTP/1.1 409 Conflict',
      'Content-ID: 2',
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-cache',
      'Preference-Applied: return-no-content',
      'DataServiceVersion: 3.0;',
      jsonType,
      '',
    ]);
    expect(lines.at(-1)).toMatch(
      /^\{"odata\.error":\{"code":"EntityAlreadyExists","message":\{"lang":"en-US","value":"2:The specified entity already exists\.\\nRequestId:\\"id\\"\\nTime:[^"]*"\}\}\}$/,
    );
  });

  it('writes an error of header set B1 without these headers', async () => {
    const part = { ...failed.part, representation: { ...failed.part.representation, level: 'nometadata' } } as const;
    const lines = await writeOnlyPart({ ...failed, part, isSingle: true, error: new TableError('TableNotFound') });

    expect(lines.slice(0, -1)).toEqual([
      'HTTP/1.1 404 Not Found',
      'Content-ID: 2',
      'X-Content-Type-Options: nosniff',
      'DataServiceVersion: 3.0;',
      jsonType.replace('minimalmetadata', 'nometadata'),
      '',
    ]);
  });
});

describe('putting parts together', () => {
  const head = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
  const guid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

  /** Joins parts that a dialect wrote. */
  function join(written: readonly WrittenPart[], isChangeSet: boolean) {
    const left = [...written];
    const writePart = () => left.shift() ?? expect.fail('more parts than answers');
    const parts = written.map(() => {
      const answer: Answer = { kind: 'entity-deleted' };
      return { answer, representation: jsonOfErrors, contentId: undefined };
    });
    return writeBatch(
      { kind: 'transaction', isChangeSet, parts },
      { ...storageDialect, writePart },
      factsOf(),
      Date.now,
    );
  }
  const withoutBody = { status: 204, headers: 'A: b\r\n' };
  const withBody = { status: 201, headers: 'A: b\r\n', body: '{}' };

  it('ends a part without a body with a blank line, and a part with a body with one line end', async () => {
    const { contentType, body } = await join([withoutBody, withBody], true);

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

  it('puts a query directly into the batch', async () => {
    const { body } = await join([withBody], false);

    expect(body.replace(guid, 'A').replace(guid, 'A')).toBe(
      `--batchresponse_A\r\n${head}HTTP/1.1 201 Created\r\nA: b\r\n\r\n{}\r\n--batchresponse_A--\r\n`,
    );
  });

  it('waits for the page of a query, and takes its text', async () => {
    const page = memory.take(12);
    page.bytes.write('{"value":[]}');

    const { body } = await join([{ ...withBody, body: Promise.resolve(page) }], false);

    expect(body).toContain('\r\n\r\n{"value":[]}\r\n--');
  });

  it('never uses a boundary twice', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => join([withoutBody, withBody], true)));

    expect(new Set(answers.flatMap(({ body }) => body.match(guid) ?? [])).size).toBe(200);
  });
});
