import { StateFault } from '../../state/state-fault.js';
import { rowUnitsMax } from '../read-lines.js';

/** Counts lines and columns of a text that arrives in parts. */
class TextPosition {
  #text = '';
  /** The lines before `#counted`. */
  #lines = 1;
  #counted = 0;
  /** Where the last line begins in the current part: negative if it began in an earlier one. */
  #lineStart = 0;

  begin(text: string): void {
    this.#text = text;
    this.#counted = 0;
  }

  end(): void {
    this.#countTo(this.#text.length);
    this.#lineStart -= this.#text.length;
    this.#text = '';
  }

  /** Returns the place of a position in the current part, from 1. Positions must ascend. */
  of(at: number): { readonly line: number; readonly column: number } {
    this.#countTo(at);
    return { line: this.#lines, column: at - this.#lineStart + 1 };
  }

  #countTo(at: number): void {
    for (let end = this.#text.indexOf('\n', this.#counted); end >= 0 && end < at; ) {
      this.#lines++;
      this.#lineStart = end + 1;
      this.#counted = end + 1;
      end = this.#text.indexOf('\n', this.#counted);
    }
  }
}

/** The path of a value in a document: names of members and indexes of elements. */
export type JsonPath = readonly (string | number)[];

/** An entered list or object, or a value that was cut out. */
export interface JsonPiece {
  readonly path: JsonPath;
  /** Undefined for an entered list or object, and for a value that is too long. */
  readonly text: string | undefined;
  readonly isEntered: boolean;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly column: number;
}

/** Decides whether a value is entered, cut out or skipped. Only lists and objects are ever entered. */
type ChooseJson = (path: JsonPath) => 'enter' | 'cut' | 'skip';

/**
 * Cuts values out of a document of any size. Memory is bounded by the longest row. Cut values are not checked to be JSON yet;
 * skipped values never are.
 *
 * Errors: StateFault if the document is not JSON in the parts that are entered.
 */
export async function* cutJson(texts: AsyncIterable<string>, choose: ChooseJson): AsyncGenerator<readonly JsonPiece[]> {
  const cutter = new JsonCutter(choose);
  for await (const text of texts) {
    const pieces = cutter.push(text);
    if (pieces.length > 0) yield pieces;
  }
  const last = cutter.end();
  if (last.length > 0) yield last;
}

/** An entered list or object. */
interface Open {
  readonly kind: '{' | '[';
  /** The name of the current member, or the index of the current element. */
  at: string | number;
}

/** The next token that an entered list or object allows. */
type Next = 'value' | 'first-value' | 'name' | 'first-name' | 'colon' | 'after' | 'nothing';

/** A value that is being cut out or skipped, or a name. */
interface Raw {
  readonly purpose: 'cut' | 'skip' | 'name';
  readonly line: number;
  readonly column: number;
  text: string | undefined;
  /** Number of open lists and objects; -1 for a number or a word, which ends before the next delimiter. */
  depth: number;
  isInString: boolean;
  /** Whether the last character was a backslash that escapes the next one. */
  isEscaping: boolean;
}

const space = /[^ \t\r\n]/g;
const inString = /["\\]/g;
const outside = /["{}[\]]/g;
const endOfWord = /[\s,\]}]/g;

class JsonCutter {
  readonly #choose: ChooseJson;
  readonly #open: Open[] = [];
  readonly #position = new TextPosition();
  #next: Next = 'value';
  #raw: Raw | undefined;
  #pieces: JsonPiece[] = [];

  constructor(choose: ChooseJson) {
    this.#choose = choose;
  }

  /** Takes the next part of the text. Returns the pieces that end in it. */
  push(text: string): readonly JsonPiece[] {
    this.#position.begin(text);
    let at = 0;
    while (at < text.length) {
      if (this.#raw) at = this.#continue(this.#raw, text, at);
      else {
        at = find(space, text, at);
        if (at < text.length) at = this.#take(text[at] as string, at);
      }
    }
    this.#position.end();
    return this.#takePieces();
  }

  end(): readonly JsonPiece[] {
    if (this.#raw?.depth === -1) this.#finish(this.#raw);
    if (this.#next !== 'nothing' || this.#raw) throw new StateFault('invalid', 'The JSON is truncated.');
    return this.#takePieces();
  }

  #takePieces(): readonly JsonPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Takes the first character of a token. Returns the position to continue at. */
  #take(sign: string, at: number): number {
    const inside = this.#open.at(-1);
    const mayClose = this.#next === 'after' || this.#next.startsWith('first');
    if (inside && mayClose && sign === (inside.kind === '{' ? '}' : ']')) {
      this.#open.pop();
      this.#ended();
      return at + 1;
    }
    switch (this.#next) {
      case 'name':
      case 'first-name':
        if (sign === '"') return this.#beginRaw('name', sign, at);
        break;
      case 'colon':
        if (sign !== ':') break;
        this.#next = 'value';
        return at + 1;
      case 'after':
        if (sign !== ',' || !inside) break;
        if (typeof inside.at === 'number') inside.at++;
        this.#next = inside.kind === '{' ? 'name' : 'value';
        return at + 1;
      case 'value':
      case 'first-value':
        if (/[{["\-\dtfn]/.test(sign)) return this.#beginValue(sign, at);
    }
    const { line, column } = this.#position.of(at);
    throw new StateFault('invalid', `Line ${line}, column ${column}: unexpected '${sign}'.`);
  }

  #beginValue(sign: string, at: number): number {
    const path = this.#open.map((one) => one.at);
    const choice = this.#choose(path);
    if (choice === 'enter' && (sign === '{' || sign === '[')) {
      this.#pieces.push({ path, text: undefined, isEntered: true, ...this.#position.of(at) });
      this.#open.push({ kind: sign, at: sign === '{' ? '' : 0 });
      this.#next = sign === '{' ? 'first-name' : 'first-value';
      return at + 1;
    }
    return this.#beginRaw(choice === 'skip' ? 'skip' : 'cut', sign, at);
  }

  #beginRaw(purpose: Raw['purpose'], sign: string, at: number): number {
    const isNested = sign === '{' || sign === '[';
    this.#raw = {
      purpose,
      ...this.#position.of(at),
      text: purpose === 'skip' ? undefined : sign,
      depth: isNested ? 1 : sign === '"' ? 0 : -1,
      isInString: sign === '"',
      isEscaping: false,
    };
    return at + 1;
  }

  /** Continues a value that is cut out or skipped, or a name. Returns the position to continue at. */
  #continue(raw: Raw, text: string, from: number): number {
    let at = from;
    let hasEnded = false;
    while (at < text.length && !hasEnded) {
      if (raw.isEscaping) {
        raw.isEscaping = false;
        at++;
      } else if (raw.depth === -1) {
        at = find(endOfWord, text, at);
        hasEnded = at < text.length;
      } else {
        at = find(raw.isInString ? inString : outside, text, at);
        if (at === text.length) break;
        const sign = text[at];
        at++;
        if (sign === '\\') raw.isEscaping = true;
        else if (sign === '"') raw.isInString = !raw.isInString;
        else raw.depth += sign === '{' || sign === '[' ? 1 : -1;
        hasEnded = !raw.isInString && raw.depth === 0;
      }
    }
    const isTooLong = (raw.text?.length ?? 0) + at - from > rowUnitsMax;
    raw.text = raw.text === undefined || isTooLong ? undefined : raw.text + text.slice(from, at);
    if (hasEnded) this.#finish(raw);
    return at;
  }

  #finish({ purpose, text, line, column }: Raw): void {
    this.#raw = undefined;
    if (purpose === 'name') {
      const inside = this.#open.at(-1);
      if (inside) inside.at = readName(text, line);
      this.#next = 'colon';
      return;
    }
    if (purpose === 'cut') {
      this.#pieces.push({ path: this.#open.map((one) => one.at), text, isEntered: false, line, column });
    }
    this.#ended();
  }

  #ended(): void {
    this.#next = this.#open.length === 0 ? 'nothing' : 'after';
  }
}

/** Parses the JSON string of a name. Errors: StateFault for one that is not JSON, or too long. */
export function readName(text: string | undefined, line: number): string {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new StateFault('invalid', `Line ${line} has a name that is not valid JSON.`);
  }
}

/** Returns the position of a pattern's next match, or the end of the text. */
function find(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}
