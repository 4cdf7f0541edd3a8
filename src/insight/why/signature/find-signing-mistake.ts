import { createHmac } from 'node:crypto';
import type { Account } from '../../../protocol/access/accounts.js';
import type { Explanation } from '../../../protocol/explanation.js';
import {
  keyAsText,
  type Mistake,
  otherAccount,
  type SignedMaterial,
  type SignedText,
  writeSignedText,
} from './signed-text.js';
import { signingMistakes } from './signing-mistakes.js';

/** The longest text to which mistakes are applied. Unit: UTF-16 code units. (Our choice: all mistakes then take about a millisecond.) */
const signedUnitsMax = 4096;

/**
 * Finds the mistake with which a client made its signature, by making it: each known mistake is signed with the keys of the
 * account, and the one that gives the signature of the request is the cause.
 *
 * Returns undefined if none does. No key and no signature is in the result.
 */
export function findSigningMistake(
  sent: string,
  right: SignedText,
  request: SignedMaterial,
  accounts: readonly Account[],
): Explanation | undefined {
  if (writeSignedText(right).length > signedUnitsMax) return undefined;
  const keysOf = (isMeant: (account: Account) => boolean) => accounts.filter(isMeant).flatMap(({ keys }) => keys);
  const own = keysOf(({ name }) => name === request.account);
  const others = keysOf(({ name }) => name !== request.account);
  const isSigned = (text: SignedText, keys: readonly string[], encoding: 'base64' | 'utf8' = 'base64') =>
    keys.some(
      (key) => createHmac('sha256', Buffer.from(key, encoding)).update(writeSignedText(text)).digest('base64') === sent,
    );

  if (isSigned(right, own, 'utf8')) return describe(keyAsText, right, right);
  if (isSigned(right, others)) return describe(otherAccount, right, right);
  for (const { apply, ...mistake } of signingMistakes) {
    const text = apply(right, request);
    if (text && isSigned(text, own)) return describe(mistake, right, text);
  }
  return undefined;
}

function describe(mistake: Mistake, right: SignedText, signed: SignedText): Explanation {
  const expected = writeSignedText(right);
  const found = writeSignedText(signed).replace(otherHeader, '$1…');
  return {
    ...mistake,
    details: [
      { name: 'string to sign', value: expected },
      ...(found === expected ? [] : [{ name: 'string that was signed', value: found, holds: false }]),
    ],
  };
}

/** Matches a header of the service that was signed as blobs require. Some of these headers carry keys. */
const otherHeader = /^(x-ms-(?!date:|version:|client-request-id:)[^:\n]*:).*$/gm;
