import { SyntaxError as FilterSyntaxError, parse } from '../../generated/filter.js';
import { TableError } from '../../protocol/errors.js';
import { filterUnitsMax } from '../../protocol/limits.js';
import { declaredOfEntity } from '../../protocol/values/edm.js';
import { checkFilter, type DeclaredTypes } from './check-filter.js';
import type { Filter } from './filter.js';
import { isTooDeep } from './filter-depth.js';
import { syntaxFault } from './syntax-fault.js';
import type { SyntaxNode } from './syntax-node.js';

/**
 * Parses a decoded `$filter`. Returns undefined for an empty or blank text, which selects every row.
 *
 * `declared` has the types of the declared properties. The default is for entities.
 *
 * Errors: InvalidInput (400) for a syntax error, incompatible types or `null`; OutOfRangeInput (400) for a date before
 * 1601; NotImplemented (501) for functions, arithmetic, and comparisons other than of a property with a literal.
 * Source: query 2; query 3; query 5.3; query 11.
 */
export function parseFilter(text: string, declared: DeclaredTypes = declaredOfEntity): Filter | undefined {
  if (text.trim() === '') return undefined;
  try {
    return parseAndCheck(text, declared);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const { code, variant } = error;
    throw new TableError(code, { variant, evidence: () => ({ check: 'filter', filter: text }) });
  }
}

function parseAndCheck(text: string, declared: DeclaredTypes): Filter {
  if (text.length > filterUnitsMax) throw new TableError('InvalidInput', { variant: { name: 'query-input' } });
  if (isTooDeep(text)) throw new TableError('InvalidInput', { variant: { name: 'filter-too-deep' } });
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
