import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TableError } from '../../../src/protocol/errors.js';
import { decodeToken, encodeToken } from '../../../src/query/continuation-token.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Any string of UTF-16 code units, including lone surrogates. */
const text = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7fe, max: 0xe001 })))
  .map((units) => String.fromCharCode(...units));

/** Reads a token. Returns undefined if it is rejected in the service's words. */
function readOrReject(token: string): ReturnType<typeof decodeToken> | undefined {
  try {
    return decodeToken(token);
  } catch (error) {
    if (error instanceof TableError) return undefined;
    throw error;
  }
}

describe('continuation tokens', () => {
  it('keep every text unchanged', () => {
    fc.assert(
      fc.property(text, (sent) => {
        const token = encodeToken(sent);
        expect(token).toMatch(/^1!\d+![A-Za-z0-9*_-]*$/);
        expect(decodeToken(token)).toBe(sent);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('have exactly one form: a token that is accepted is written again as it was, any other is rejected', () => {
    const base64 = fc.string({ unit: fc.constantFrom(...'AQgw7aLt3v/+=-*_'), maxLength: 12 });
    fc.assert(
      fc.property(base64, (written) => {
        const token = `1!${written.length}!${written}`;
        const read = readOrReject(token);
        if (read === undefined) return;
        const usual = token.replaceAll('=', '-').replaceAll('+', '*').replaceAll('/', '_');
        expect(encodeToken(read)).toBe(usual);
      }),
      { numRuns: runs(2000) },
    );
  });
});
