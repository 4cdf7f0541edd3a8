import { hash, timingSafeEqual } from 'node:crypto';

/** Size of a block and of a hash of SHA-256. Unit: bytes. */
const blockBytes = 64;
const hashBytes = 32;

/**
 * Signs with a key of an account: HMAC-SHA256, built from two plain hashes (RFC 2104, section 2).
 *
 * Node's own HMAC creates a native object for each signature. At ten thousand requests per second these objects cost
 * more than everything else in a request. Source: docs/benchmarks.md.
 */
export class SigningKey {
  readonly #inner = Buffer.alloc(blockBytes, 0x36);
  readonly #outer = Buffer.alloc(blockBytes + hashBytes, 0x5c);

  /** Takes the key in base64, as in a connection string. */
  constructor(base64: string) {
    const given = Buffer.from(base64, 'base64');
    const key = given.length > blockBytes ? hash('sha256', given, 'buffer') : given;
    for (const [at, byte] of key.entries()) {
      this.#inner[at] = (this.#inner[at] ?? 0) ^ byte;
      this.#outer[at] = (this.#outer[at] ?? 0) ^ byte;
    }
  }

  /** Returns the HMAC-SHA256 of a text in UTF-8. */
  sign(text: string): Buffer {
    const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text));
    this.#inner.copy(message);
    message.write(text, blockBytes);
    this.#outer.write(hash('sha256', message, 'binary'), blockBytes, 'binary');
    return Buffer.from(hash('sha256', this.#outer, 'binary'), 'binary');
  }
}

/** The keys of an account. */
export type AccountKeys = readonly SigningKey[];

/** Decodes the keys of an account from base64. */
export function readAccountKeys(base64: readonly string[]): AccountKeys {
  return base64.map((key) => new SigningKey(key));
}

/**
 * Returns whether a signature, in base64, is the signature of the text with one of the keys. The time that this takes
 * may reveal which key matched, but nothing about a signature.
 */
export function isSignedBy(signature: string, text: string, keys: AccountKeys): boolean {
  const sent = Buffer.from(signature, 'base64');
  if (sent.length !== hashBytes) return false;
  for (const key of keys) if (timingSafeEqual(sent, key.sign(text))) return true;
  return false;
}
