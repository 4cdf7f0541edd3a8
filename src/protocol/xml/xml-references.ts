/** The longest name of a reference. Unit: characters. */
const nameUnitsMax = 4;

/** The references that XML defines by name, by their packed names. Numbers are found faster than parts of a text. */
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

/** A reference that was read: its character and where it ends. */
interface Reference {
  readonly codePoint: number;
  readonly end: number;
}

/**
 * Replaces references with their characters. Errors: RangeError for an unknown reference.
 *
 * Reads unit by unit: calling a function of `replace` for each reference would take half a second for a large body.
 */
export function readReferences(text: string): string {
  const first = text.indexOf('&');
  if (first < 0) return text;
  const units = new Units(text.length - first);
  for (let at = first; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit !== ampersand) {
      units.add(unit);
      at += 1;
      continue;
    }
    const { codePoint, end } = readReference(text, at);
    units.addCodePoint(codePoint);
    at = end;
  }
  return text.slice(0, first) + units.text;
}

/** Reads the reference whose ampersand is at an index. Errors: RangeError. */
function readReference(text: string, at: number): Reference {
  if (text.charCodeAt(at + 1) === numberSign) return readNumber(text, at);
  const start = at + 1;
  let end = start;
  while (end - start <= nameUnitsMax && end < text.length && text.charCodeAt(end) !== semicolon) end += 1;
  const codePoint = text.charCodeAt(end) === semicolon ? named.get(packName(text, start, end)) : undefined;
  if (codePoint === undefined) throw unknownReference(text, at);
  return { codePoint, end: end + 1 };
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

/** Reads a reference by number, which may have any number of zeros before it. Errors: RangeError. */
function readNumber(text: string, at: number): Reference {
  // Lower case is the same letter with this bit.
  const isHex = (text.charCodeAt(at + 2) | 0x20) === letterX;
  const start = at + (isHex ? 3 : 2);
  const base = isHex ? 16 : 10;
  let codePoint = 0;
  let end = start;
  for (let digit = digitAt(text, end); digit < base; digit = digitAt(text, end)) {
    codePoint = Math.min(base * codePoint + digit, codePointMax + 1);
    end += 1;
  }
  if (end === start || text.charCodeAt(end) !== semicolon || codePoint > codePointMax) throw unknownReference(text, at);
  return { codePoint, end: end + 1 };
}

/** Returns the value of a digit in hex, in either case; infinity for any other character, and after the end. */
function digitAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : Number.POSITIVE_INFINITY;
}

function unknownReference(text: string, at: number): RangeError {
  return new RangeError(`unknown reference ${text.slice(at, at + 32)}`);
}

/** UTF-16 units that become one string. A string that grows by units would be a tree of them. */
class Units {
  readonly #bytes: Buffer;
  #length = 0;

  /** Takes memory for as many units. */
  constructor(unitsMax: number) {
    this.#bytes = Buffer.allocUnsafe(2 * unitsMax);
  }

  get text(): string {
    return this.#bytes.toString('utf16le', 0, this.#length);
  }

  add(unit: number): void {
    this.#bytes[this.#length] = unit & 0xff;
    this.#bytes[this.#length + 1] = unit >> 8;
    this.#length += 2;
  }

  addCodePoint(codePoint: number): void {
    if (codePoint <= 0xffff) this.add(codePoint);
    else {
      this.add(0xd800 + ((codePoint - 0x10000) >> 10));
      this.add(0xdc00 + ((codePoint - 0x10000) & 0x3ff));
    }
  }
}
