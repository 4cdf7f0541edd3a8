import { describe, expect, it } from 'vitest';
import { decodeTableToken, decodeToken, encodeTableToken } from '../../../src/query/continuation-token.js';

describe('The token of the next table', () => {
  it('is the recorded one for the name and the time of its creation', () => {
    const token = encodeTableToken({ name: 'ListTable23f561007', created: '01d68c7383199db0' });

    expect(token).toBe('1!48!bGlzdHRhYmxlMjNmNTYxMDA3ATAxZDY4YzczODMxOTlkYjA-');
    expect(decodeToken(token)).toBe('listtable23f561007\x0101d68c7383199db0');
    expect(decodeTableToken(token)).toBe('listtable23f561007');
  });

  it.each([
    ['1!4!VGJs', 'tbl'],
    ['1!0!', ''],
  ])('may be a name alone: %s is %j', (token, name) => {
    expect(decodeTableToken(token)).toBe(name);
  });

  it('is rejected if it is not a token', () => {
    expect(() => decodeTableToken('Tbl')).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});
