import { describe, expect, it } from 'vitest';
import { TableError } from '../../../src/protocol/errors.js';
import { headerBytesMax, partHeadersMax } from '../../../src/protocol/limits.js';
import { type Batch, type BatchPart, readBatch } from '../../../src/service/batch/read-batch.js';
import { envelopesWithoutBoundary, hostileEnvelopes } from '../../support/hostile/hostile-envelopes.js';

const type = 'multipart/mixed; boundary=b';

/** Reads a body. Returns the batch, or the error code. */
function outcomeOf(body: string, contentType: string | undefined = type): Batch | string {
  try {
    return readBatch(body, contentType, 100);
  } catch (error) {
    if (error instanceof TableError) return error.code;
    throw error;
  }
}

/** Returns a part as plain values that can be compared. */
function plain({ method, url, body, headers }: BatchPart) {
  return { method, url, body, ifMatch: headers['if-match'], contentId: headers['content-id'] };
}

function plainOf(batch: Batch | string) {
  if (typeof batch === 'string') return batch;
  if (batch.kind === 'query') return [plain(batch.part)];
  return batch.kind === 'change-set' ? batch.parts.map(plain) : batch;
}

const mime = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
const insertOf = (row: number, ...headers: string[]) =>
  `${mime}${['POST /T HTTP/1.1', ...headers].join('\r\n')}\r\n\r\n{"PartitionKey":"p","RowKey":"${row}"}\r\n`;
const remove = `${mime}DELETE /T(PartitionKey='p',RowKey='1') HTTP/1.1\r\nIf-Match: *\r\n\r\n`;
const changeSet = (parts: readonly string[], inner = 'c', outer = 'b') =>
  `--${outer}\r\nContent-Type: multipart/mixed; boundary=${inner}\r\n\r\n` +
  `${parts.map((part) => `--${inner}\r\n${part}`).join('')}--${inner}--\r\n\r\n--${outer}--\r\n`;
const query = `--b\r\n${mime}GET /T(PartitionKey='p',RowKey='1') HTTP/1.1\r\nAccept: application/json\r\n\r\n\r\n--b--\r\n`;

describe('reading a batch', () => {
  it('reads the operations of a change set in order', () => {
    const batch = readBatch(changeSet([insertOf(0, 'Content-ID: 7'), remove]), type, 100);

    expect(batch.kind).toBe('change-set');
    expect(plainOf(batch)).toEqual([
      {
        method: 'POST',
        url: '/T',
        body: '{"PartitionKey":"p","RowKey":"0"}',
        ifMatch: undefined,
        contentId: '7',
      },
      { method: 'DELETE', url: "/T(PartitionKey='p',RowKey='1')", body: '', ifMatch: '*', contentId: undefined },
    ]);
  });

  it.each([
    ['with line ends of CRLF', changeSet([])],
    ['with bare line feeds', changeSet([]).replaceAll('\r\n', '\n')],
    ['with the delimiters that one client writes', '--b\nContent-Type: multipart/mixed; boundary=c\n\n--c--\n--b--'],
  ])('reads a change set without operations, %s', (_, body) => {
    expect(readBatch(body, type, 100)).toEqual({ kind: 'change-set', parts: [] });
  });

  it.each([
    ['text after its end', changeSet([]).replace('--c--', '--c--\r\nPOST /T HTTP/1.1')],
    ['text before its end', changeSet([]).replace('--c--', 'POST /T HTTP/1.1\r\n--c--')],
    ['operations under a longer boundary', changeSet([insertOf(0)], 'c--d').replace('boundary=c--d', 'boundary=c')],
    ['no end', changeSet([]).replace('--c--\r\n', '')],
  ])('does not read a change set with %s as an empty one', (_, body) => {
    expect(outcomeOf(body)).toBe('InvalidInput');
  });

  it('reads a query outside of a change set', () => {
    const batch = readBatch(query, type, 100);

    expect(batch).toMatchObject({ kind: 'query', part: { method: 'GET', body: '' } });
  });

  it.each([
    ['nothing after its request line', 'DELETE /T HTTP/1.1'],
    ['a blank line after its request line', 'DELETE /T HTTP/1.1\r\n\r\n'],
    ['many blank lines', 'DELETE /T HTTP/1.1\r\n\r\n\r\n\r\n'],
  ])('reads an operation with %s', (_, text) => {
    expect(plainOf(outcomeOf(changeSet([`${mime}${text}\r\n`])))).toMatchObject([{ method: 'DELETE', body: '' }]);
  });

  it.each([
    ['alone', []],
    ['after one with the same headers', [`${remove}\r\n`]],
  ])('rejects a part with a longer head than a request may have, %s', (_, before) => {
    const headUnits = "DELETE /T(PartitionKey='p',RowKey='') HTTP/1.1\r\nIf-Match: *".length;
    const removeLong = (units: number) => remove.replace("'1'", `'${'1'.repeat(units - headUnits)}'`);

    expect(plainOf(outcomeOf(changeSet([...before, removeLong(headerBytesMax)])))).toHaveLength(before.length + 1);
    expect(outcomeOf(changeSet([...before, removeLong(headerBytesMax + 1)]))).toBe('InvalidInput');
  });

  it('rejects a part with more headers than a part may have', () => {
    const insertWith = (headers: number) => insertOf(0, ...Array.from({ length: headers }, (_, at) => `X-${at}: y`));

    expect(plainOf(outcomeOf(changeSet([insertWith(partHeadersMax)])))).toHaveLength(1);
    expect(outcomeOf(changeSet([insertWith(partHeadersMax + 1)]))).toBe('InvalidInput');
  });

  it('does not read the first lines of a body as headers if there are no headers', () => {
    const batch = outcomeOf(changeSet([`${mime}PUT /T HTTP/1.1\r\n\r\nIf-Match: *\r\n\r\n{}\r\n`]));

    expect(plainOf(batch)).toMatchObject([{ ifMatch: undefined, body: 'If-Match: *\r\n\r\n{}' }]);
  });

  it.each([0, 5, 38, 1_000_000])('looks for the boundary and ignores a Content-Length of %i', (length) => {
    const batch = outcomeOf(changeSet([insertOf(0, `Content-Length: ${length}`), insertOf(1)]));

    expect(plainOf(batch)).toMatchObject([{ body: '{"PartitionKey":"p","RowKey":"0"}' }, { method: 'POST' }]);
  });

  it.each(['b1', 'b-1', 'b_', 'bb', "b'()+_,-./:=?"])('distinguishes the boundary b from %s', (other) => {
    const parts = [insertOf(0), insertOf(1)];

    expect(plainOf(outcomeOf(changeSet(parts, other, 'b')))).toHaveLength(2);
    expect(plainOf(outcomeOf(changeSet(parts, 'b', other), `multipart/mixed; boundary=${other}`))).toHaveLength(2);
  });

  it.each([101, 10_000])('stops reading after one operation more than a transaction may have, of %i', (count) => {
    const parts = Array.from({ length: count }, (_, row) => insertOf(row));

    expect(plainOf(outcomeOf(changeSet(parts)))).toHaveLength(101);
  });

  it.each([
    [70, 'change-set'],
    [71, 'InvalidInput'],
  ])('reads a boundary of %i characters: %s', (length, expected) => {
    const boundary = 'c'.repeat(length);
    const batch = outcomeOf(changeSet([insertOf(0)], boundary));
    expect(typeof batch === 'string' ? batch : batch.kind).toBe(expected);
  });

  it.each([undefined, '', 'multipart/mixed', 'multipart/mixed; boundary=', 'application/json; boundary=b', 'b'])(
    'rejects the type %s',
    (contentType) => {
      expect(outcomeOf(changeSet([insertOf(0)]), contentType ?? '')).toBe('InvalidInput');
      expect(() => readBatch(changeSet([insertOf(0)]), contentType, 100)).toThrow(TableError);
    },
  );

  it.each(hostileEnvelopes.map(({ name, ...envelope }) => [name, envelope] as const))(
    'rejects %s',
    (_, { body, contentType }) => {
      expect(outcomeOf(body, contentType)).toBe('InvalidInput');
    },
  );

  it.each(envelopesWithoutBoundary.map(({ name, ...envelope }) => [name, envelope] as const))(
    'finds no operation in %s',
    (_, { body, contentType }) => {
      expect(outcomeOf(body, contentType)).toEqual({ kind: 'empty' });
    },
  );

  it.each([0, 2])('says that operation %i has no request', (at) => {
    const parts = [insertOf(0), insertOf(1), insertOf(2)].with(at, mime);

    expect(outcomeOf(changeSet(parts))).toEqual({ kind: 'operation-missing', at });
  });
});

describe('reading a batch that was cut short', () => {
  const glued = (text: string) => text.replaceAll('}\r\n--', '}--');
  const samples: [name: string, body: string][] = [
    ['inserts', changeSet([insertOf(0), insertOf(1), insertOf(2)])],
    ['inserts with bare line feeds', changeSet([insertOf(0), insertOf(1)]).replaceAll('\r\n', '\n')],
    ['inserts with delimiters directly after the JSON', glued(changeSet([insertOf(0), insertOf(1), insertOf(2)]))],
    ['deletes', changeSet([remove, remove])],
    ['boundaries with the same beginning', changeSet([insertOf(0), insertOf(1)], 'b-c')],
    ['a query', query],
  ];

  it.each(samples)('reads all of %s or nothing, if it is cut off anywhere', (_, body) => {
    const whole = plainOf(outcomeOf(body));
    const lastDelimiter = body.lastIndexOf('--b');
    expect(Array.isArray(whole)).toBe(true);
    for (let end = 0; end < body.length; end++) {
      const found = plainOf(outcomeOf(body.slice(0, end)));
      if (Array.isArray(found)) expect(found).toEqual(whole);
      if (end < lastDelimiter + '--b'.length) expect(Array.isArray(found), `cut at ${end}`).toBe(false);
    }
  });
});
