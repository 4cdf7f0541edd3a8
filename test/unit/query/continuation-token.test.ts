import { describe, expect, it } from 'vitest';
import { decodeToken, encodeToken } from '../../../src/query/continuation-token.js';

describe('A continuation token', () => {
  it.each([
    ['contToken', '1!12!Y29udFRva2Vu'],
    ['pk', '1!4!cGs-'],
    ['1', '1!4!MQ--'],
    ['1012', '1!8!MTAxMg--'],
    ['listtable23f561007\x0101d68c7383199db0', '1!48!bGlzdHRhYmxlMjNmNTYxMDA3ATAxZDY4YzczODMxOTlkYjA-'],
    ['', '1!0!'],
    ['???>>>', '1!8!Pz8_Pj4*'],
    ['\ud800', '1!4!7aCA'],
    ['a\udfffé', '1!8!Ye2_v8Op'],
  ])('encodes %o as %s and can be decoded', (text, token) => {
    expect(encodeToken(text)).toBe(token);
    expect(decodeToken(token)).toBe(text);
  });

  it('may also use the usual letters of base64', () => {
    expect(decodeToken('1!4!MQ==')).toBe('1');
    expect(decodeToken('1!8!Pz8/Pj4+')).toBe('???>>>');
  });

  it.each([
    ['another form', 'garbage'],
    ['an empty text', ''],
    ['another version', '2!4!MQ--'],
    ['a length that is too small', '1!3!MQ--'],
    ['a length with a leading zero', '1!04!MQ--'],
    ['no length', '1!!MQ--'],
    ['missing padding', '1!2!MQ'],
    ['padding in the middle', '1!8!MQ--MQ--'],
    ['stray bits before the padding', '1!4!MR--'],
    ['a letter that is not base64', '1!4!M%--'],
    ['bytes that are not UTF-8', '1!4!gA--'],
    ['a surrogate pair encoded as two surrogates', '1!8!7aC97bCA'],
    ['a line end after it', '1!4!MQ--\n'],
  ])('is rejected with %s', (_, token) => {
    expect(() => decodeToken(token)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});
