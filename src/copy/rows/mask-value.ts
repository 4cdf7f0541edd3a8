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
  const next = keyedBytes(key, text);
  switch (type) {
    case 'Edm.Binary':
      return JSON.stringify(Buffer.from(Buffer.from(text, 'base64').map(() => next())).toString('base64'));
    case 'Edm.Guid':
      return JSON.stringify(text.replace(/[0-9a-f]/gi, () => (next() % 16).toString(16)));
    case 'Edm.DateTime':
      return JSON.stringify(maskInstant(text, next));
    case 'Edm.Int64':
      return JSON.stringify(maskDigits(text, next, 19));
    case 'Edm.Double':
      return isString ? JSON.stringify(maskDouble(text, next)) : maskDouble(text, next);
    default:
      return isString ? JSON.stringify(maskLetters(text, next)) : maskDigits(json, next, 10);
  }
}

function maskInstant(text: string, next: () => number): string {
  const two = (count: number, from = 0) => String(from + (next() % count)).padStart(2, '0');
  return `${text.slice(0, 4)}-${two(12, 1)}-${two(28, 1)}T${two(24)}:${two(60)}:${two(60)}Z`;
}

/** Infinity and NaN stay. */
function maskDouble(text: string, next: () => number): string {
  return /\d/.test(text) ? maskDigits(text, next, Number.POSITIVE_INFINITY) : text;
}

/** Replaces digits except the first one. An integer of `digitsMax` digits gets none that is larger: it could exceed its type. */
function maskDigits(text: string, next: () => number, digitsMax: number): string {
  const [, sign = '', digits = '', exponent = ''] = /^(-?)([\d.]*)(.*)$/s.exec(text) ?? [];
  const isLongest = digits.length >= digitsMax && !digits.includes('.');
  const masked = digits.slice(1).replace(/\d/g, (digit) => String(next() % (isLongest ? Number(digit) + 1 : 10)));
  return sign + digits.slice(0, 1) + masked + exponent;
}

function maskLetters(text: string, next: () => number): string {
  return text.replace(/\p{Lu}|\p{L}|\p{Nd}/gu, (found) => {
    const byte = next();
    if (/\p{Nd}/u.test(found)) return String(byte % 10).repeat(found.length);
    const first = /\p{Lu}/u.test(found) ? 0x41 : 0x61;
    // A character of two units stays as long.
    return String.fromCharCode(first + (byte % 26)).repeat(found.length);
  });
}

/** Returns a function that yields bytes which depend on a key and a text alone. */
function keyedBytes(key: string, text: string): () => number {
  let [block, at, count] = [Buffer.alloc(0), 0, 0];
  return () => {
    if (at === block.length) {
      block = createHmac('sha256', key).update(`${count++}:${text}`).digest();
      at = 0;
    }
    return block[at++] ?? 0;
  };
}
