/** The longest name of a reference. Unit: characters. */
const nameUnitsMax = 4;

/** The named references of XML, by their packed names: a number is faster to look up than a slice. */
const named: ReadonlyMap<number, number> = new Map(
  Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }).map(([name, character]) => [
    packName(name, 0, name.length),
    character.charCodeAt(0),
  ]),
);

const codePointMax = 0x10ffff;
const ampersand = 0x26;
const semicolon = 0x3b;
const numberSign = 0x23;
const letterX = 0x78;
const upperX = 0x58;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Replaces references with their characters, in either case of the x of hex. Errors: RangeError for an unknown reference. */
export function readReferences(text: string): string {
  const first = text.indexOf('&');
  if (first < 0) return text;
  return readCharacters(text, first, { units: text.length, each: text.length, remaining: text.length }, 'anywhere');
}

/** Limits for the texts of one document. References and carriage returns take longer than other characters. */
export interface TextBound {
  /** Longest text. Unit: UTF-16 code units. */
  readonly units: number;
  /** Number of references and carriage returns in one text. */
  readonly each: number;
  /** Number that the document may still have. Below 0: too many. */
  remaining: number;
}

/**
 * Reads a text between tags: replaces references with their characters, and every end of a line with a line feed. After
 * as many of them as the bound allows in one text, the rest stays as it is written. Text beyond the bound is left out.
 *
 * Errors: RangeError for an unknown reference. Source: XML 1.0, section 2.11; XML 1.0, section 4.1.
 */
export function readXmlText(text: string, bound: TextBound): string {
  const [reference, lineEnd] = [text.indexOf('&'), text.indexOf('\r')];
  const first = reference < 0 || (lineEnd >= 0 && lineEnd < reference) ? lineEnd : reference;
  return readCharacters(text, first, bound, 'text');
}

/** Reads the content of CDATA, as `readXmlText` reads a text, but it has no references. Source: XML 1.0, section 2.7. */
export function readCdata(text: string, bound: TextBound): string {
  return readCharacters(text, text.indexOf('\r'), bound, 'cdata');
}

/** Reads from the first place that is not a character on its own; below 0 if there is none. */
function readCharacters(text: string, first: number, bound: TextBound, where: Place): string {
  if (first < 0 || first >= bound.units) return text.slice(0, bound.units);
  return text.slice(0, first) + new Characters(text, first, bound, where).read();
}

type Place = 'anywhere' | 'text' | 'cdata';

/** Reads a text unit by unit, without an object for each reference: a callback of `replace` would take half a second for a large body. */
class Characters {
  readonly #text: string;
  readonly #bound: TextBound;
  readonly #place: Place;
  /** UTF-16 units of the result. A string that grows by units would be a rope. */
  readonly #bytes: Buffer;
  #length = 0;
  #at: number;

  constructor(text: string, first: number, bound: TextBound, place: Place) {
    this.#text = text;
    this.#at = first;
    this.#bound = bound;
    this.#place = place;
    // The last reference may be two units.
    this.#bytes = Buffer.allocUnsafe(2 * (Math.min(text.length, bound.units + 1) - first));
  }

  read(): string {
    const text = this.#text;
    const { each } = this.#bound;
    const bytesMax = 2 * (this.#bound.units - this.#at);
    const hasReferences = this.#place !== 'cdata';
    const hasLines = this.#place !== 'anywhere';
    let read = 0;
    while (this.#at < text.length && this.#length < bytesMax && read < each) {
      const unit = text.charCodeAt(this.#at);
      const isReference = hasReferences && unit === ampersand;
      const isLineEnd = hasLines && unit === carriageReturn;
      if (!isReference && !isLineEnd) {
        this.#add(unit);
        this.#at += 1;
        continue;
      }
      read += 1;
      if (isReference) this.#readReference();
      else this.#readLineEnd();
    }
    this.#bound.remaining -= read;
    const rest = text.slice(this.#at, Math.max(this.#at, this.#at + (bytesMax - this.#length) / 2));
    return this.#bytes.toString('utf16le', 0, this.#length) + rest;
  }

  #readLineEnd(): void {
    this.#add(lineFeed);
    this.#at += this.#text.charCodeAt(this.#at + 1) === lineFeed ? 2 : 1;
  }

  /** Reads the reference whose ampersand is here. Errors: RangeError. */
  #readReference(): void {
    const text = this.#text;
    const start = this.#at + 1;
    if (text.charCodeAt(start) === numberSign) {
      this.#readNumber();
      return;
    }
    let end = start;
    while (end - start <= nameUnitsMax && end < text.length && text.charCodeAt(end) !== semicolon) end += 1;
    const unit = text.charCodeAt(end) === semicolon ? named.get(packName(text, start, end)) : undefined;
    if (unit === undefined) throw this.#unknownReference();
    this.#add(unit);
    this.#at = end + 1;
  }

  /** Reads a reference by number, which may have any number of zeros before it. Errors: RangeError. */
  #readNumber(): void {
    const text = this.#text;
    const third = text.charCodeAt(this.#at + 2);
    // References in hex have a small x. Source: XML 1.0, section 4.1.
    const isHex = third === letterX || (third === upperX && this.#place === 'anywhere');
    const start = this.#at + (isHex ? 3 : 2);
    const base = isHex ? 16 : 10;
    let codePoint = 0;
    let end = start;
    for (let digit = digitAt(text, end); digit < base; digit = digitAt(text, end)) {
      codePoint = base * codePoint + digit;
      if (codePoint > codePointMax) throw this.#unknownReference();
      end += 1;
    }
    if (end === start || text.charCodeAt(end) !== semicolon) throw this.#unknownReference();
    this.#addCodePoint(codePoint);
    this.#at = end + 1;
  }

  #add(unit: number): void {
    this.#bytes[this.#length] = unit & 0xff;
    this.#bytes[this.#length + 1] = unit >> 8;
    this.#length += 2;
  }

  #addCodePoint(codePoint: number): void {
    if (codePoint <= 0xffff) this.#add(codePoint);
    else {
      this.#add(0xd800 + ((codePoint - 0x10000) >> 10));
      this.#add(0xdc00 + ((codePoint - 0x10000) & 0x3ff));
    }
  }

  #unknownReference(): RangeError {
    return new RangeError(`unknown reference ${this.#text.slice(this.#at, this.#at + 32)}`);
  }
}

/** Returns a number that no other name of up to four characters has; -1 for a name that is not ASCII. */
function packName(text: string, start: number, end: number): number {
  let packed = 1;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return -1;
    packed = packed * 0x80 + unit;
  }
  return packed;
}

/** More than any digit, and an integer like the digits, so that they stay machine integers. */
const noDigit = 99;

/** Returns the value of a digit in hex, in either case; `noDigit` for any other character, and after the end. */
function digitAt(text: string, at: number): number {
  if (at >= text.length) return noDigit;
  const unit = text.charCodeAt(at);
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : noDigit;
}
