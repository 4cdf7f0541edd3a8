import { SyntaxError as FilterSyntaxError, parse } from '../generated/filter.js';
import { declaredOfEntity } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import { filterUnitsMax } from '../protocol/limits.js';
import { checkFilter, type DeclaredTypes } from './check-filter.js';
import type { Filter } from './filter.js';
import { isTooDeep } from './filter-depth.js';
import { syntaxFault } from './syntax-fault.js';
import type { SyntaxNode } from './syntax-node.js';

/**
 * Reads a decoded `$filter`; an empty or blank one filters nothing and gives undefined.
 *
 * `declared` gives the types of the properties that have one whatever the row; those of an entity unless said otherwise.
 *
 * Errors: InvalidInput (400) for a text that is no filter, types that clash, `null`; OutOfRangeInput (400) for a date
 * before 1601; NotImplemented (501) for functions, arithmetic and comparisons that are not property against literal.
 * Source: queries, sections 2, 3, 5.3 and 11.
 */
export function parseFilter(text: string, declared: DeclaredTypes = declaredOfEntity): Filter | undefined {
  if (text.trim() === '') return undefined;
  if (text.length > filterUnitsMax) throw new TableError('InvalidInput');
  if (isTooDeep(text)) throw new TableError('InvalidInput', { message: 'Recursion limit reached.' });
  return checkFilter(parseShape(text), text, declared);
}

function parseShape(text: string): SyntaxNode {
  try {
    return parse(text) as SyntaxNode;
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw syntaxFault(text, error.location.start.offset, error.expected);
  }
}
