import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSignedBy, readAccountKeys, SigningKey } from '../../../src/auth/signing-key.js';

const keyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const anyText = fc.string({ unit: 'binary', maxLength: 300 });

it('A signing key of any length signs any text as HMAC-SHA256 does', () => {
  fc.assert(
    fc.property(keyBytes, anyText, (key, text) => {
      const signature = new SigningKey(key.toString('base64')).sign(text);
      expect(signature).toEqual(createHmac('sha256', key).update(text, 'utf8').digest());
    }),
  );
});

it('The signature of every key of the account is accepted, and no other signature', () => {
  fc.assert(
    fc.property(keyBytes, keyBytes, anyText, fc.nat({ max: 31 }), (first, second, text, at) => {
      const keys = [first, second].map((key) => key.toString('base64'));
      for (const key of keys) {
        const signature = new SigningKey(key).sign(text);
        expect(isSignedBy(signature.toString('base64'), text, readAccountKeys(keys))).toBe(true);
        signature[at] = (signature[at] ?? 0) ^ 1;
        expect(isSignedBy(signature.toString('base64'), text, readAccountKeys(keys))).toBe(false);
        expect(isSignedBy(signature.toString('base64').slice(4), text, readAccountKeys(keys))).toBe(false);
      }
    }),
  );
});
