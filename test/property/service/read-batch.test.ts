import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TableError } from '../../../src/protocol/errors.js';
import { type Batch, readBatch } from '../../../src/service/batch/read-batch.js';
import { type SentPart, sentBatch } from '../../support/arbitrary/arbitrary-envelope.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { writeEnvelope } from '../../support/bodies/write-envelope.js';

const names = ['if-match', 'if-none-match', 'prefer', 'accept', 'content-type', 'x-http-method', 'content-id'] as const;

/** Returns a batch as plain values that can be compared. */
function plain(batch: Batch) {
  const parts = batch.kind === 'query' ? [batch.part] : batch.kind === 'change-set' ? batch.parts : [];
  return {
    kind: batch.kind,
    parts: parts.map(({ method, url, body, headers }) => ({
      method,
      url,
      body,
      headers: names.map((name) => headers[name]),
    })),
  };
}

/** Returns the values that the reader must find in a part. */
function expected({ method, url, headers, body, contentId }: SentPart) {
  const own = new Map(headers.map(([name, value]) => [name, value.trim()]));
  if (contentId.place === 'request') own.set('content-id', contentId.value);
  return { method, url, body, headers: names.map((name) => own.get(name) || undefined) };
}

describe('reading a batch', () => {
  it('reads every operation, in every style of writing that clients use', () => {
    fc.assert(
      fc.property(sentBatch, (sent) => {
        const { body, contentType } = writeEnvelope(sent);
        expect(plain(readBatch(body, contentType, 100))).toEqual({ kind: sent.kind, parts: sent.parts.map(expected) });
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads all of a batch or nothing, if the batch is cut off anywhere', () => {
    fc.assert(
      fc.property(sentBatch, fc.nat(), (sent, at) => {
        const { body, contentType } = writeEnvelope(sent);
        expectAllOrNothing(body.slice(0, at % body.length), contentType, sent.parts);
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads the rest of a batch from which a piece is missing, or rejects it with InvalidInput', () => {
    fc.assert(
      fc.property(sentBatch, fc.nat(), fc.integer({ min: 1, max: 40 }), (sent, at, length) => {
        const { body, contentType } = writeEnvelope(sent);
        const from = at % body.length;
        expectBatchOrRejection(body.slice(0, from) + body.slice(from + length), contentType, sent.parts.length);
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads any text as a batch, or rejects it with InvalidInput', () => {
    const word = fc.constantFrom('--b', '--c', '--', '\r\n', '\n', ' ', ':', 'POST', '/T', 'HTTP/1.1', '{}', 'x');
    const head = fc.constantFrom('Content-Type: multipart/mixed; boundary=c\r\n\r\n', 'Content-Type: application/http');
    const words = fc.array(fc.oneof({ weight: 4, arbitrary: word }, head));
    fc.assert(
      fc.property(words, (text) => {
        expectBatchOrRejection(`--b\r\n${text.join('')}`, 'multipart/mixed; boundary=b', text.length);
      }),
      { numRuns: runs(500) },
    );
  });
});

/** Reads a body. Returns undefined if it is rejected with InvalidInput; throws every other error. */
function readOrReject(body: string, contentType: string): ReturnType<typeof plain> | undefined {
  try {
    return plain(readBatch(body, contentType, 100));
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    expect(error).toMatchObject({ code: 'InvalidInput' });
    return undefined;
  }
}

function expectBatchOrRejection(body: string, contentType: string, partsMax: number): void {
  const read = readOrReject(body, contentType);
  if (!read) return;
  if (read.kind === 'query') expect(read.parts).toHaveLength(1);
  expect(read.parts.length).toBeLessThanOrEqual(Math.max(partsMax, 1));
  for (const { method, url } of read.parts) expect(method && url).not.toBe('');
}

function expectAllOrNothing(body: string, contentType: string, sent: readonly SentPart[]): void {
  const read = readOrReject(body, contentType);
  if (read && read.kind !== 'empty') expect(read.parts).toEqual(sent.map(expected));
}
