import { filterUnitsMax } from '../../protocol/limits.js';
import { BoundedMap, ownText } from '../../remembered.js';
import type { Filter } from './filter.js';
import { parseFilter } from './parse-filter.js';

/** Number of cached forms. (Our choice: a program has some dozens.) */
const formsMax = 256;

/** Longest filter to learn, since its form keeps the text. Unit: UTF-16 code units. (Our choice: longer filters rarely repeat.) */
const learnedUnitsMax = 2048;

/** Returns the filter of a form with these strings, in the order of the text. */
type Form = (strings: readonly string[]) => Filter;

/**
 * The forms of parsed filters: their text without the strings. Programs repeat a filter with other strings, and a known form takes
 * an eighth of the time of the parser.
 */
export class KnownFilters {
  readonly #forms = new BoundedMap<Form>(formsMax);

  get size(): number {
    return this.#forms.values().length;
  }

  /** Parses the filter of a query of entities as `parseFilter` does. Errors: as `parseFilter`. */
  parse(text: string): Filter | undefined {
    // A filter is text and strings in turns. A string with a doubled quote has an empty text within it.
    const parts = text.length > filterUnitsMax ? [] : text.split("'");
    if (parts.length % 2 === 0) return parseFilter(text);
    const strings: string[] = [];
    let key = parts[0] ?? '';
    for (let at = 1; at < parts.length; at += 2) {
      strings.push(parts[at] ?? '');
      const outside = parts[at + 1] ?? '';
      if (outside === '' && at + 2 < parts.length) return parseFilter(text);
      key += `'${outside}`;
    }
    return this.#forms.get(key)?.(strings) ?? this.#learn(key, text, strings.length);
  }

  #learn(key: string, text: string, strings: number): Filter | undefined {
    // Names of the form are parts of the text, which may be a part of the target.
    const filter = parseFilter(text.length > learnedUnitsMax ? text : ownText(text));
    // The text of a guid or a date is in quotes, too, but it is not a string.
    if (!filter || text.length > learnedUnitsMax || countStrings(filter) !== strings) return filter;
    const { make } = formOf(filter, 0);
    this.#forms.set(key, make);
    return filter;
  }
}

function countStrings(filter: Filter): number {
  if (filter.kind === 'comparison') return filter.literal.type === 'Edm.String' ? 1 : 0;
  if (filter.kind === 'not') return countStrings(filter.operand);
  return 'operands' in filter ? filter.operands.reduce((sum, operand) => sum + countStrings(operand), 0) : 0;
}

/** Returns the form of a filter whose first string is the one at a position, and the position after its last string. */
function formOf(filter: Filter, at: number): { readonly make: Form; readonly end: number } {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const { kind } = filter;
      let end = at;
      const operands = filter.operands.map((operand) => {
        const form = formOf(operand, end);
        end = form.end;
        return form.make;
      });
      return { make: (strings) => ({ kind, operands: operands.map((make) => make(strings)) }), end };
    }
    case 'not': {
      const { make, end } = formOf(filter.operand, at);
      return { make: (strings) => ({ kind: 'not', operand: make(strings) }), end };
    }
    case 'comparison': {
      const { property, operator, literal } = filter;
      if (literal.type !== 'Edm.String') break;
      return {
        make: (strings) => ({
          kind: 'comparison',
          property,
          operator,
          literal: { type: 'Edm.String', value: strings[at] ?? '' },
        }),
        end: at + 1,
      };
    }
  }
  return { make: () => filter, end: at };
}
