import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lowerAscii } from '../../../src/protocol/names.js';
import { decodeTableToken, encodeTableToken, encodeToken } from '../../../src/query/continuation-token.js';

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{2,62}$/);
const created = fc.stringMatching(/^[0-9a-f]{16}$/);

it('A token of a table returns its lower-cased name', () => {
  fc.assert(
    fc.property(name, created, (sent, time) => {
      expect(decodeTableToken(encodeTableToken({ name: sent, created: time }))).toBe(lowerAscii(sent));
    }),
  );
});

it('A token does not depend on the letter case of the name', () => {
  fc.assert(
    fc.property(name, created, (sent, time) => {
      const folded = { name: lowerAscii(sent), created: time };
      expect(encodeTableToken({ name: sent, created: time })).toBe(encodeTableToken(folded));
    }),
  );
});

it('The creation time in a token may have any form, or be absent', () => {
  fc.assert(
    fc.property(name, fc.string(), (sent, rest) => {
      expect(decodeTableToken(encodeToken(`${sent}\u0001${rest}`))).toBe(lowerAscii(sent));
      expect(decodeTableToken(encodeToken(sent))).toBe(lowerAscii(sent));
    }),
  );
});
