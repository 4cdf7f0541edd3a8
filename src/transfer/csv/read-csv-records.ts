import { StateFault } from '../../state/state-fault.js';
import { rowUnitsMax } from '../read-lines.js';

/** Number of cells in a record. (Our choice: as many as a spreadsheet has columns.) */
export const cellsMax = 16_384;

/** A record of a CSV file. */
export interface CsvRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Undefined if it is too long. */
  readonly cells: readonly string[] | undefined;
  /** The first cell whose text continues after its closing quote, from 1. Absent: none. */
  readonly tailAt?: number | undefined;
  /** Upper bound for the text in the cells. Unit: UTF-16 code units. */
  readonly units: number;
}

const separators = [',', ';', '\t'] as const;

/** Lines that programs write before the header: PowerShell the type of its objects, and Excel the separator. */
const preamble = /^(?:#TYPE [^\n]*\n|sep=([^"\r\n])\r?\n){0,2}/i;

/**
 * Reads the non-blank records of a CSV file. The separator is the most frequent one of comma, semicolon and tab in the header,
 * unless a line before it names one. Memory is bounded: the rest of a record that is too long is skipped.
 *
 * Quotes are those of RFC 4180. Errors: StateFault for a quote that is not closed.
 */
export async function* readCsvRecords(texts: AsyncIterable<string>): AsyncGenerator<readonly CsvRecord[]> {
  let reader: RecordReader | undefined;
  let beginning = '';
  for await (const text of texts) {
    if (reader) yield reader.push(text);
    else {
      beginning += text;
      const begun = splitPreamble(beginning);
      if (!begun.header.includes('\n') && beginning.length < rowUnitsMax) continue;
      reader = new RecordReader(begun);
      yield reader.push(begun.header);
    }
  }
  if (!reader) {
    const begun = splitPreamble(beginning);
    reader = new RecordReader(begun);
    yield reader.push(begun.header);
  }
  yield reader.end();
}

/** Splits off the lines before the header of a file, and counts them. */
function splitPreamble(text: string): { readonly line: number; readonly separator: string; readonly header: string } {
  const [before = '', separator] = preamble.exec(text) ?? [];
  const header = text.slice(before.length);
  return { line: before.split('\n').length, separator: separator ?? separatorOf(header), header };
}

/** Returns the most frequent separator of the header, outside of quotes. */
function separatorOf(text: string): string {
  const line = text.slice(0, text.indexOf('\n') >>> 0).replace(/"[^"]*"/g, '');
  const count = (separator: string) => line.split(separator).length;
  return separators.reduce((best, one) => (count(one) > count(best) ? one : best));
}

class RecordReader {
  readonly #special: RegExp;
  #line: number;
  #recordLine: number;
  #tailAt: number | undefined;
  #cells: string[] = [];
  #cell = '';
  /** How much of the cell is in quotes: a carriage return there is a part of the value. Unit: UTF-16 code units. */
  #quotedUnits = 0;
  #units = 0;
  /** Where in a cell the reader is: at its start, in plain text, in quotes, or after a quote that may be the last one. */
  #state: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  #records: CsvRecord[] = [];

  /** `line` is the line of the header. */
  constructor({ line, separator }: { readonly line: number; readonly separator: string }) {
    this.#line = line;
    this.#recordLine = line;
    const code = separator.charCodeAt(0).toString(16).padStart(4, '0');
    this.#special = new RegExp(`[\\u${code}\n]`, 'g');
  }

  push(text: string): readonly CsvRecord[] {
    let at = 0;
    while (at < text.length) at = this.#state === 'quoted' ? this.#readQuoted(text, at) : this.#readPlain(text, at);
    const records = this.#records;
    this.#records = [];
    return records;
  }

  end(): readonly CsvRecord[] {
    if (this.#state === 'quoted') {
      throw new StateFault('invalid', `The record in line ${this.#recordLine} has an unclosed quote.`);
    }
    if (this.#state !== 'start' || this.#cells.length > 0) this.#endRecord();
    return this.#records;
  }

  #readQuoted(text: string, from: number): number {
    const end = text.indexOf('"', from);
    const piece = text.slice(from, end < 0 ? text.length : end);
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) this.#line++;
    this.#add(piece);
    if (end < 0) return text.length;
    this.#quotedUnits = this.#cell.length;
    this.#state = 'quote';
    return end + 1;
  }

  #readPlain(text: string, from: number): number {
    if (text[from] === '"' && this.#state === 'start') {
      this.#state = 'quoted';
      return from + 1;
    }
    if (text[from] === '"' && this.#state === 'quote' && !this.#hasTail) {
      // A doubled quote.
      this.#add('"');
      this.#state = 'quoted';
      return from + 1;
    }
    this.#special.lastIndex = from;
    const end = this.#special.test(text) ? this.#special.lastIndex - 1 : text.length;
    if (end > from) this.#state = this.#state === 'quote' ? 'quote' : 'plain';
    this.#add(text.slice(from, end));
    if (end === text.length) return end;
    if (text[end] === '\n') this.#endRecord();
    else this.#endCell();
    return end + 1;
  }

  #add(piece: string): void {
    this.#units += piece.length;
    this.#cell = this.#isTooLong ? '' : this.#cell + piece;
  }

  /** Whether the text of a quoted cell continues after its closing quote. */
  get #hasTail(): boolean {
    return this.#state === 'quote' && this.#cell.length > this.#quotedUnits;
  }

  get #isTooLong(): boolean {
    return this.#units > rowUnitsMax || this.#cells.length > cellsMax;
  }

  #endCell(): void {
    this.#units++;
    if (!this.#isTooLong) this.#cells.push(this.#cell);
    if (this.#hasTail) this.#tailAt ??= this.#cells.length;
    this.#cell = '';
    this.#quotedUnits = 0;
    this.#state = 'start';
  }

  #endRecord(): void {
    if (this.#cell.length > this.#quotedUnits && this.#cell.endsWith('\r')) this.#cell = this.#cell.slice(0, -1);
    const isBlank = this.#cells.length === 0 && this.#cell === '' && this.#state !== 'quote';
    const isTooLong = this.#isTooLong;
    this.#endCell();
    if (!isBlank) {
      const cells = isTooLong ? undefined : this.#cells;
      this.#records.push({ line: this.#recordLine, cells, tailAt: this.#tailAt, units: cells ? this.#units : 0 });
    }
    this.#line++;
    this.#recordLine = this.#line;
    this.#cells = [];
    this.#tailAt = undefined;
    this.#units = 0;
  }
}
