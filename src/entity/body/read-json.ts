import { TableError } from '../../protocol/errors.js';
import { bodyMembersMax, nestedUnitsMax } from '../../protocol/limits.js';
import { readJsonString } from '../stored/json-text.js';
import { findJsonFault } from './find-json-fault.js';

/** The value of a member of a JSON object. Numbers keep their spelling, because 3 and 3.0 have different types. */
export type JsonToken =
  | { readonly kind: 'string'; readonly json: string }
  | { readonly kind: 'number'; readonly json: string }
  | { readonly kind: 'boolean'; readonly json: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'nested' };

/** A member of a JSON object. */
export interface JsonMember {
  readonly name: string;
  readonly token: JsonToken;
}

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const space = /[ \t\n\r]*/y;
/** What may follow a backslash, but for `u` and four digits. */
const escapes: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));
const beyondPlain = /[\\\u0000-\u001f]/;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/**
 * Parses one JSON object and returns its members in the order of the text, including duplicates. `JSON.parse` is not
 * suitable: it hides duplicate names and the spelling of numbers.
 *
 * Errors: InvalidInput for anything but one well-formed object; TooManyProperties once it has more than `bodyMembersMax` members,
 * whatever follows.
 */
export function readJsonObject(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  const reader = new Reader(text);
  reader.expect('{');
  if (reader.take('}')) return reader.finish(members);
  do {
    if (members.length === bodyMembersMax) throw new TableError('TooManyProperties');
    const name = reader.name();
    reader.expect(':');
    members.push({ name, token: reader.value(name) });
  } while (reader.take(','));
  reader.expect('}');
  return reader.finish(members);
}

class Reader {
  #at: number;
  readonly #text: string;
  /** Whether the text has no escapes, as most texts, so that every string ends at the next quote. */
  readonly #isPlain: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#isPlain = !beyondPlain.test(text);
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  take(sign: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  expect(sign: string): void {
    if (!this.take(sign)) throw this.#fault();
  }

  finish<T>(result: T): T {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fault();
    return result;
  }

  name(): string {
    const json = this.string();
    return this.#isPlain ? json.slice(1, -1) : readJsonString(json);
  }

  string(): string {
    this.#skipSpace();
    const json = this.#isPlain ? this.#plainString() : this.#anyString();
    if (json === undefined) throw this.#fault();
    return json;
  }

  value(name: string): JsonToken {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '"') return { kind: 'string', json: this.string() };
    if (first === '{' || first === '[') return this.#nested(name);
    const digits = this.#match(number);
    if (digits !== undefined) return { kind: 'number', json: digits };
    const literal = this.#match(word);
    if (literal === undefined) throw this.#fault();
    return literal === 'null' ? { kind: 'null' } : { kind: 'boolean', json: literal };
  }

  #plainString(): string | undefined {
    const start = this.#at;
    const end = this.#text.charCodeAt(start) === quote ? this.#text.indexOf('"', start + 1) : -1;
    if (end < 0) return undefined;
    this.#at = end + 1;
    return this.#text.slice(start, end + 1);
  }

  /** Unit by unit, because a regular expression takes 70 ms for megabytes of escapes until it is compiled. */
  #anyString(): string | undefined {
    const text = this.#text;
    const start = this.#at;
    if (text.charCodeAt(start) !== quote) return undefined;
    for (let at = start + 1; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === quote) {
        this.#at = at + 1;
        return text.slice(start, at + 1);
      }
      if (unit < 0x20) return undefined;
      if (unit !== backslash) continue;
      const following = text.charCodeAt(++at);
      if (following === letterU) {
        if (!areHexDigits(text, at + 1, at + 5)) return undefined;
        at += 4;
      } else if (!escapes.has(following)) return undefined;
    }
    return undefined;
  }

  /** Skips an object or array of any depth without recursion. No property can have such a value, so a long one is not read to its end. */
  #nested(property: string): JsonToken {
    const start = this.#at;
    let depth = 0;
    do {
      this.#skipSpace();
      const first = this.#text[this.#at];
      if (first === undefined) throw this.#fault();
      if (first === '"') this.string();
      else {
        if (first === '{' || first === '[') depth++;
        if (first === '}' || first === ']') depth--;
        this.#at++;
      }
      if (this.#at - start > nestedUnitsMax) {
        throw new TableError('InvalidInput', { evidence: () => ({ check: 'property', property }) });
      }
    } while (depth > 0);
    if (!isJson(this.#text.slice(start, this.#at))) throw this.#fault();
    return { kind: 'nested' };
  }

  #fault(): TableError {
    const text = this.#text;
    const evidence = () => ({ check: 'body-syntax', format: 'JSON', fault: findJsonFault(text) }) as const;
    return new TableError('InvalidInput', { evidence });
  }

  #match(pattern: RegExp): string | undefined {
    const start = this.#at;
    pattern.lastIndex = start;
    // Not `exec`, because it allocates an array for every token.
    if (!pattern.test(this.#text)) return undefined;
    this.#at = pattern.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #skipSpace(): void {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit > 32) return;
    space.lastIndex = this.#at;
    space.test(this.#text);
    this.#at = space.lastIndex;
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
