import { createHmac } from 'node:crypto';
import { stringOf } from './row.js';

/**
 * Returns another value of the same type and length: letters become letters of the same case, digits digits; a number keeps its sign,
 * its first digit and its exponent, a date its year. The same value always gets the same mask with the same key. Booleans, and Doubles
 * that are not numbers, stay.
 */
export function maskValue(json: string, type: string | undefined, key: string): string {
  if (json === 'true' || json === 'false') return json;
  const isString = json.startsWith('"');
  const text = isString ? stringOf(json) : json;
  const bytes = new KeyedBytes(key, text);
  switch (type) {
    case 'Edm.Binary':
      return JSON.stringify(Buffer.from(Buffer.from(text, 'base64').map(() => bytes.next())).toString('base64'));
    case 'Edm.Guid':
      return JSON.stringify(text.replace(/[0-9a-f]/gi, () => (bytes.next() % 16).toString(16)));
    case 'Edm.DateTime':
      return JSON.stringify(maskInstant(text, bytes));
    case 'Edm.Int64':
      return JSON.stringify(maskDigits(text, bytes, 19));
    case 'Edm.Double':
      return isString ? json : maskDigits(json, bytes, Number.POSITIVE_INFINITY);
    default:
      return isString ? JSON.stringify(maskLetters(text, bytes)) : maskDigits(json, bytes, 10);
  }
}

function maskInstant(text: string, bytes: KeyedBytes): string {
  const two = (count: number, from = 0) => String(from + (bytes.next() % count)).padStart(2, '0');
  return `${text.slice(0, 4)}-${two(12, 1)}-${two(28, 1)}T${two(24)}:${two(60)}:${two(60)}Z`;
}

/** Replaces digits except the first one. An integer of `digitsMax` digits gets none that is larger: it could exceed its type. */
function maskDigits(text: string, bytes: KeyedBytes, digitsMax: number): string {
  const [, sign = '', digits = '', exponent = ''] = /^(-?)([\d.]*)(.*)$/s.exec(text) ?? [];
  const isLongest = digits.length >= digitsMax && !digits.includes('.');
  const masked = digits.slice(1).replace(/\d/g, (digit) => String(bytes.next() % (isLongest ? Number(digit) + 1 : 10)));
  return sign + digits.slice(0, 1) + masked + exponent;
}

function maskLetters(text: string, bytes: KeyedBytes): string {
  return text.replace(/\p{Lu}|\p{L}|\p{Nd}/gu, (found) => {
    const byte = bytes.next();
    if (/\p{Nd}/u.test(found)) return String(byte % 10).repeat(found.length);
    const first = /\p{Lu}/u.test(found) ? 0x41 : 0x61;
    // A character of two units stays as long.
    return String.fromCharCode(first + (byte % 26)).repeat(found.length);
  });
}

/** Bytes that depend on a key and a text alone. */
class KeyedBytes {
  readonly #key: string;
  readonly #text: string;
  #block = Buffer.alloc(0);
  #at = 0;
  #count = 0;

  constructor(key: string, text: string) {
    this.#key = key;
    this.#text = text;
  }

  next(): number {
    if (this.#at === this.#block.length) {
      this.#block = createHmac('sha256', this.#key)
        .update(`${this.#count++}:${this.#text}`)
        .digest();
      this.#at = 0;
    }
    return this.#block[this.#at++] ?? 0;
  }
}
