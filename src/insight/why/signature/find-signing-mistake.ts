import { createHmac } from 'node:crypto';
import type { Account } from '../../../protocol/access/accounts.js';
import type { Explanation } from '../../../protocol/explanation.js';
import { keyAsText, type Mistake, otherAccount } from './key-mistakes.js';
import { type SignedMaterial, type SignedText, type SigningMistake, writeSignedText } from './signed-text.js';
import { signingMistakes } from './signing-mistakes.js';

/**
 * How much text is written and signed to explain one request, so that no client decides how long that takes. Unit: UTF-16 code
 * units. Ours: enough for all single mistakes with both keys and for the pairs of the most frequent ones, about a millisecond.
 */
const workMax = 256 * 1024;

/** What a signature takes at least, in the same unit: the hash has a fixed cost. */
const signatureUnits = 512;

/** A key, how a client may have used it, and the mistake that this is. */
interface KeyUse {
  readonly key: Buffer;
  readonly algorithm: 'sha256' | 'sha1' | 'sha512';
  readonly encoding: 'base64' | 'hex';
  readonly mistake?: Mistake;
}

/**
 * Finds the mistake with which a client made its signature, by making it: each known mistake is signed with each key, and
 * the one that gives the signature of the request is the cause. Two mistakes at once are found, too, unless one of them is
 * rare.
 *
 * Returns undefined if none does. No key and no signature is in the result.
 */
export function findSigningMistake(
  sent: string,
  right: SignedText,
  request: SignedMaterial,
  accounts: readonly Account[],
): Explanation | undefined {
  const uses = keyUses(request.account, accounts);
  const own = uses.filter(({ mistake }) => mistake === undefined);
  let left = workMax;
  const isSigned = (text: SignedText, { key, algorithm, encoding }: KeyUse) => {
    if (left <= 0) return false;
    const signed = writeSignedText(text);
    left -= Math.max(signatureUnits, signed.length);
    return createHmac(algorithm, key).update(signed).digest(encoding) === sent;
  };
  const apply = (mistake: SigningMistake, text: SignedText) => {
    if (left <= 0) return undefined;
    const changed = mistake.apply(text, request);
    left -= writeSignedText(changed ?? text).length;
    return changed;
  };

  for (const use of uses) if (use.mistake && isSigned(right, use)) return { ...use.mistake, ...compare(right, right) };
  const singles: { readonly mistake: SigningMistake; readonly text: SignedText }[] = [];
  for (const mistake of signingMistakes) {
    const text = apply(mistake, right);
    if (!text) continue;
    if (own.some((use) => isSigned(text, use))) return describe([mistake], right, text);
    if (!mistake.isAlone) singles.push({ mistake, text });
  }
  for (const { mistake, text } of singles) {
    const use = uses.find((one) => one.mistake && isSigned(text, one));
    if (use?.mistake) return describe([use.mistake, mistake], right, text);
  }
  for (const [at, { mistake: first, text: changed }] of singles.entries()) {
    for (const { mistake: second } of singles.slice(at + 1)) {
      const text = apply(second, changed);
      if (text && own.some((use) => isSigned(text, use))) return describe([first, second], right, text);
    }
  }
  return undefined;
}

function describe(mistakes: readonly Mistake[], right: SignedText, signed: SignedText): Explanation {
  return {
    cause: mistakes.map(({ cause }) => cause).join('+'),
    text: mistakes.map(({ text }) => text).join(' '),
    advice: mistakes.map(({ advice }) => advice).join(' '),
    ...compare(right, signed),
  };
}

function compare(right: SignedText, signed: SignedText): Pick<Explanation, 'details'> {
  const expected = writeSignedText(right);
  const found = writeSignedText(signed).replace(otherHeader, '$1…');
  return {
    details: [
      { name: 'string to sign', value: expected },
      ...(found === expected ? [] : [{ name: 'string that was signed', value: found, holds: false }]),
    ],
  };
}

/** Matches a header of the service that was signed as blobs require. Some of these headers carry keys. */
const otherHeader = /^(x-ms-(?!date:|version:|client-request-id:)[^:\n]*:).*$/gm;

/** Returns every key with the ways in which clients use it wrongly; the account's own keys, used rightly, come first. */
function keyUses(account: string, accounts: readonly Account[]): readonly KeyUse[] {
  const usual = { algorithm: 'sha256', encoding: 'base64' } as const;
  const own = accounts.find(({ name }) => name === account)?.keys ?? [];
  const others = accounts.filter(({ name }) => name !== account);
  const decoded = (key: string) => Buffer.from(key, 'base64');
  return [
    ...own.map((key) => ({ key: decoded(key), ...usual })),
    ...own.map((key) => ({ key: Buffer.from(key), ...usual, mistake: keyAsText })),
    ...others.flatMap(({ keys }) => keys.map((key) => ({ key: decoded(key), ...usual, mistake: otherAccount }))),
    ...own.map((key) => ({ key: decoded(key), algorithm: 'sha256', encoding: 'hex', mistake: hexSignature }) as const),
    ...own.map((key) => ({ key: decoded(key), algorithm: 'sha1', encoding: 'base64', mistake: otherHash }) as const),
    ...own.map((key) => ({ key: decoded(key), algorithm: 'sha512', encoding: 'base64', mistake: otherHash }) as const),
  ];
}

const hexSignature: Mistake = {
  cause: 'signature-in-hex',
  text: 'The signature is hex-encoded.',
  advice: 'Encode the signature in base64.',
};
const otherHash: Mistake = {
  cause: 'other-hash',
  text: 'The signature was created with a hash other than SHA-256.',
  advice: 'Sign with HMAC-SHA256.',
};
