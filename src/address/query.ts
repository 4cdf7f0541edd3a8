import { TableError } from '../protocol/errors.js';

/**
 * The query of a request, each name and value decoded once. A plus is a blank. Names are case-sensitive, as OData has
 * them; of a name given twice the first counts.
 *
 * Errors: RequestUrlFailedToParse for broken percent-encoding. Source: query, "Query options".
 */
export class Query {
  readonly #values = new Map<string, string>();
  /** Names given more than once. Nearly every query has none, so the set is made when the first is found. */
  #repeated: Set<string> | undefined;

  constructor(text: string) {
    if (text === '') return;
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const at = pair.indexOf('=');
      const name = decode(at < 0 ? pair : pair.slice(0, at));
      if (this.#values.has(name)) {
        this.#repeated ??= new Set();
        this.#repeated.add(name);
      } else this.#values.set(name, at < 0 ? '' : decode(pair.slice(at + 1)));
    }
  }

  /** The value of an option, undefined where it is not there at all. */
  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Whether an option is given more than once. */
  isRepeated(name: string): boolean {
    return this.#repeated?.has(name) ?? false;
  }

  /** All names, in the order sent. */
  names(): IterableIterator<string> {
    return this.#values.keys();
  }
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new TableError('RequestUrlFailedToParse');
  }
}
