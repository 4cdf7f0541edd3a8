import { TableError } from '../protocol/errors.js';

/** Shared by all empty queries, which nearly all requests of single entities have. */
const noValues: ReadonlyMap<string, string> = new Map();

/**
 * The query of a request. Each name and value is decoded once, and a plus is a blank. Names are case-sensitive, as in
 * OData. If a name is given twice, the first value is used.
 *
 * Errors: RequestUrlFailedToParse for malformed percent-encoding. Source: query 1.
 */
export class Query {
  /** The query of a request that has none. */
  static readonly empty: Query = new Query('');
  readonly #values: ReadonlyMap<string, string>;
  /** Names given more than once. The set is created only when needed, because nearly every query has none. */
  #repeated: Set<string> | undefined;

  constructor(text: string) {
    if (text === '') {
      this.#values = noValues;
      return;
    }
    const values = new Map<string, string>();
    this.#values = values;
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const at = pair.indexOf('=');
      const name = decode(at < 0 ? pair : pair.slice(0, at));
      if (values.has(name)) {
        this.#repeated ??= new Set();
        this.#repeated.add(name);
      } else values.set(name, at < 0 ? '' : decode(pair.slice(at + 1)));
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  isRepeated(name: string): boolean {
    return this.#repeated?.has(name) ?? false;
  }

  /** Returns all names in the order sent. */
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
