import { TableError } from '../../protocol/errors.js';
import { bodyMembersMax, entityBytesMax, nestedUnitsMax } from '../../protocol/limits.js';
import { readJsonString } from '../stored/json-text.js';
import { numberForm } from '../stored/value-forms.js';
import { findJsonFault } from './find-json-fault.js';

/** A member of a JSON object. */
export interface JsonMember {
  readonly name: string;
  /** A list or an object is `nested`. */
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'nested';
  /** The value as sent, because 3 and 3.0 have different types. */
  readonly json: string;
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const quote = 0x22;
const backslash = 0x5c;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;
const letterU = 0x75;
/** Characters that may follow a backslash, besides `u` and four digits. */
const escapes: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));
const space = /[ \t\n\r]*/y;
const beyondPlain = /[\\\u0000-\u001f]/;
const number = new RegExp(numberForm, 'y');

/**
 * Parses one JSON object and returns its members in the order of the text, including duplicates. `JSON.parse` is not
 * suitable: it hides duplicate names and the spelling of numbers.
 *
 * Errors: InvalidInput for anything but one well-formed object; TooManyProperties once it has more than `bodyMembersMax` members,
 * whatever follows; EntityTooLarge once its strings have more than `escapesMax` escapes, because each is at least two bytes of an
 * entity.
 */
export function readJsonObject(text: string, escapesMax = entityBytesMax / 2): JsonMember[] {
  const members: JsonMember[] = [];
  const reader = new Reader(text, escapesMax);
  reader.expect(openBrace);
  if (reader.take(closeBrace)) return reader.finish(members);
  do {
    if (members.length === bodyMembersMax) throw new TableError('TooManyProperties');
    members.push(reader.member());
  } while (reader.take(comma));
  reader.expect(closeBrace);
  return reader.finish(members);
}

class Reader {
  #at: number;
  readonly #text: string;
  /** Fast path: the text has no escapes, so every string ends at the next quote. */
  readonly #isPlain: boolean;
  #escapesLeft: number;

  constructor(text: string, escapesMax: number) {
    this.#text = text;
    this.#escapesLeft = escapesMax;
    this.#isPlain = !beyondPlain.test(text);
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  take(sign: number): boolean {
    if (this.#next() !== sign) return false;
    this.#at++;
    return true;
  }

  expect(sign: number): void {
    if (!this.take(sign)) throw this.#fault();
  }

  finish<T>(result: T): T {
    this.#next();
    if (this.#at < this.#text.length) throw this.#fault();
    return result;
  }

  member(): JsonMember {
    const start = this.#passString();
    const name = this.#isPlain
      ? this.#text.slice(start + 1, this.#at - 1)
      : readJsonString(this.#text.slice(start, this.#at));
    this.expect(colon);
    switch (this.#next()) {
      case quote:
        return { name, kind: 'string', json: this.#text.slice(this.#passString(), this.#at) };
      case letterT:
        return { name, kind: 'boolean', json: this.#word('true') };
      case letterF:
        return { name, kind: 'boolean', json: this.#word('false') };
      case letterN:
        return { name, kind: 'null', json: this.#word('null') };
      case openBrace:
      case openBracket:
        return this.#nested(name);
      default:
        return { name, kind: 'number', json: this.#number() };
    }
  }

  /** Skips white space. Returns the code of the next character; NaN at the end of the text. */
  #next(): number {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit > 0x20) return unit;
    // For megabytes of it, a loop takes several times as long.
    space.lastIndex = this.#at;
    space.test(this.#text);
    this.#at = space.lastIndex;
    return this.#text.charCodeAt(this.#at);
  }

  /** Skips a string. Returns its start. */
  #passString(): number {
    if (this.#next() !== quote) throw this.#fault();
    const start = this.#at;
    const end = this.#isPlain ? this.#text.indexOf('"', start + 1) : this.#endOfEscaped(start);
    if (end < 0) throw this.#fault();
    this.#at = end + 1;
    return start;
  }

  #number(): string {
    const start = this.#at;
    number.lastIndex = start;
    // Not `exec`, because it allocates an array for every number.
    if (!number.test(this.#text)) throw this.#fault();
    this.#at = number.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #word<Word extends string>(word: Word): Word {
    if (!this.#text.startsWith(word, this.#at)) throw this.#fault();
    this.#at += word.length;
    return word;
  }

  /**
   * Returns the end of the string at `start`; -1 if it does not end, or is not valid JSON. Unit by unit, because a regular expression
   * takes 70 ms for megabytes of escapes until it is compiled.
   */
  #endOfEscaped(start: number): number {
    const text = this.#text;
    for (let at = start + 1; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === quote) return at;
      if (unit < 0x20) return -1;
      if (unit !== backslash) continue;
      if (--this.#escapesLeft < 0) throw new TableError('EntityTooLarge');
      const following = text.charCodeAt(++at);
      if (following === letterU) {
        if (!areHexDigits(text, at + 1, at + 5)) return -1;
        at += 4;
      } else if (!escapes.has(following)) return -1;
    }
    return -1;
  }

  /** Skips an object or array of any depth without recursion. No property can have such a value, so a long one is not read to its end. */
  #nested(property: string): JsonMember {
    const start = this.#at;
    let depth = 0;
    do {
      const first = this.#next();
      if (Number.isNaN(first)) throw this.#fault();
      if (first === quote) this.#passString();
      else {
        if (first === openBrace || first === openBracket) depth++;
        if (first === closeBrace || first === closeBracket) depth--;
        this.#at++;
      }
      if (this.#at - start > nestedUnitsMax) {
        throw new TableError('InvalidInput', { evidence: () => ({ check: 'property', property }) });
      }
    } while (depth > 0);
    const json = this.#text.slice(start, this.#at);
    if (!isJson(json)) throw this.#fault();
    return { name: property, kind: 'nested', json };
  }

  #fault(): TableError {
    const text = this.#text;
    const evidence = () => ({ check: 'body-syntax', format: 'JSON', fault: findJsonFault(text) }) as const;
    return new TableError('InvalidInput', { evidence });
  }
}

function areHexDigits(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    // A lower-case letter is the upper-case one with this bit.
    const letter = unit | 0x20;
    if (!((unit >= 0x30 && unit <= 0x39) || (letter >= 0x61 && letter <= 0x66))) return false;
  }
  return true;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
