import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SigningKey } from '../../../src/auth/signing-key.js';

/** Returns the signature of a text in hex. */
const sign = (key: Buffer, text: string) => new SigningKey(key.toString('base64')).sign(text).toString('hex');

describe('A signing key', () => {
  // Source: RFC 4231, section 4.
  it.each([
    [Buffer.alloc(20, 0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [
      Buffer.from('Jefe'),
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      Buffer.alloc(131, 0xaa),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ])('of the bytes %o signs %j as the published vectors of HMAC-SHA256', (key, text, signature) => {
    expect(sign(key, text)).toBe(signature);
  });

  it.each([0, 1, 63, 64, 65, 200])('of %d bytes signs as the HMAC of Node.js', (length) => {
    const key = Buffer.alloc(length, 7);

    expect(sign(key, 'é')).toBe(createHmac('sha256', key).update('é', 'utf8').digest('hex'));
  });
});
