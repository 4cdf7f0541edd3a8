import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TableError } from '../../../src/protocol/errors.js';
import { readBatch } from '../../../src/service/batch/read-batch.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const pieces = (...texts: readonly string[]) => fc.constantFrom(...texts);

/** Parts that often differ from the one before only in their URL and body, some of them malformed. */
const similarPart = fc
  .tuple(
    pieces('\r\n', '\r\n\r\n', '\n'),
    pieces('Content-Type: application/http\r\n\r\n', 'Content-Type: application/http\n\n', ''),
    pieces('DELETE', 'POST', 'DELETE '),
    pieces('/T', '/T(1)', '/T(2)', '/T\t', '/T\r\nA:', '/T\u2028', '', '/T HTTP/1.1\r\n\r\n'),
    pieces(' HTTP/1.1', '  HTTP/1.1 ', ' HTTP/1.'),
    pieces('', '\r\nIf-Match: *', '\nIf-Match: *\nContent-ID: 1'),
    pieces('\r\n\r\n', '\r\n', '\n \n', '\r\n\r\n\r\n'),
    pieces('', '{}', '\r\n{}', ' HTTP/1.1\r\nIf-Match: *\r\n\r\n', '--b'),
  )
  .map(([start, own, method, url, version, fields, blank, body]) =>
    [start, own, method, ' ', url, version, fields, blank, body, '\r\n'].join(''),
  );

/** Reads a change set of these parts. Returns plain values, the error code, or the position of what is missing. */
function readParts(parts: readonly string[]) {
  const body = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.map((part) => `--c${part}`).join('')}--c--\r\n--b--\r\n`;
  try {
    const batch = readBatch(body, 'multipart/mixed; boundary=b', 100);
    if (batch.kind !== 'change-set') return batch;
    return batch.parts.map(({ headers, ...part }) => ({
      ...part,
      etag: headers['if-match'],
      id: headers['content-id'],
    }));
  } catch (error) {
    if (error instanceof TableError) return error.code;
    throw error;
  }
}

it('Each part of a batch is read as if it were the only one', () => {
  fc.assert(
    fc.property(fc.array(similarPart, { minLength: 1, maxLength: 6 }), (parts) => {
      const alone = parts.map((part) => readParts([part]));
      const failed = alone.find((outcome) => !Array.isArray(outcome));
      const together = readParts(parts);
      if (!failed) expect(together).toEqual(alone.flat());
      else if (typeof failed === 'string') expect(together).toBe(failed);
      else expect(together).toEqual({ ...failed, at: alone.indexOf(failed) });
    }),
    { numRuns: runs(1000) },
  );
});
