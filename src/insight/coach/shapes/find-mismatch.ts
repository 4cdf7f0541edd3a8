import { lowerAscii } from '../../../protocol/names.js';
import { readDateTime } from '../../../protocol/values/date-time.js';
import type { EdmType } from '../../../protocol/values/edm.js';
import { readGuid } from '../../../protocol/values/guid.js';
import type { Comparison, Filter, Literal } from '../../../query/filter/filter.js';
import { printFilter, printLiteral } from '../../../query/filter/print-filter.js';
import { filterTree } from '../../why/filter/judge-filter.js';
import type { Finding } from '../finding.js';

/** Returns the types that a property was stored with; empty if that is not known. */
export type TypesOf = (property: string) => readonly EdmType[];

/**
 * Finds a comparison that no entity can satisfy, because the property has another type than the constant in all of them.
 * Only a comparison that every result must satisfy counts. Types that differ satisfy `ne`, `lt` and `le`. Source: query 4.
 */
export function findMismatch(text: string, typesOf: TypesOf): Pick<Finding, 'note' | 'rewritten'> | undefined {
  const filter = filterTree(text);
  for (const comparison of filter ? requiredBy(filter) : []) {
    const { property, operator, literal } = comparison;
    if (operator !== 'eq' && operator !== 'gt' && operator !== 'ge') continue;
    const stored = typesOf(property);
    const [type] = stored;
    if (type === undefined || stored.some((one) => isComparable(literal.type, one))) continue;
    const fixed = stored.length === 1 ? convert(literal, type) : undefined;
    const names = stored.map(shortName).join(' and ');
    return {
      note: `${property} is stored as ${names}, and ${printLiteral(literal)} is ${shortName(literal.type)}.`,
      ...(fixed &&
        filter && { rewritten: [printFilter(replaced(filter, comparison, { ...comparison, literal: fixed }))] }),
    };
  }
  return undefined;
}

/** Returns the comparisons that every result satisfies. */
function requiredBy(filter: Filter): readonly Comparison[] {
  if (filter.kind === 'comparison') return [filter];
  return filter.kind === 'and' ? filter.operands.flatMap(requiredBy) : [];
}

/** Returns whether a property of a type can equal a constant: numbers are compared if the constant has the narrower type. */
function isComparable(literal: EdmType, stored: EdmType): boolean {
  if (literal === stored) return true;
  if (literal === 'Edm.Int32') return stored === 'Edm.Int64' || stored === 'Edm.Double';
  return literal === 'Edm.Int64' && stored === 'Edm.Double';
}

/** Returns what a constant was meant to be; undefined if the type has no such value. */
function convert({ value }: Literal, type: EdmType): Literal | undefined {
  switch (type) {
    case 'Edm.String':
      return { type, value };
    case 'Edm.Int32':
      return /^-?\d{1,9}$/.test(value) ? { type, value } : undefined;
    case 'Edm.Int64':
      return /^-?\d{1,18}$/.test(value) ? { type, value } : undefined;
    case 'Edm.Double':
      return value.trim() !== '' && Number.isFinite(Number(value)) ? { type, value } : undefined;
    case 'Edm.Boolean':
      return /^(?:true|false)$/i.test(value) ? { type, value: lowerAscii(value) } : undefined;
    case 'Edm.DateTime': {
      const reading = readDateTime(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value);
      return 'text' in reading ? { type, value: reading.text } : undefined;
    }
    case 'Edm.Guid': {
      const guid = readGuid(value);
      return guid === undefined ? undefined : { type, value: guid };
    }
    default:
      return undefined;
  }
}

function replaced(filter: Filter, old: Comparison, by: Comparison): Filter {
  if (filter === old) return by;
  return 'operands' in filter ? { ...filter, operands: filter.operands.map((one) => replaced(one, old, by)) } : filter;
}

/** Returns the name of a type for people, as `Int32`. */
function shortName(type: EdmType): string {
  const name = type.slice('Edm.'.length);
  return /^[AEIO]/.test(name) ? `an ${name}` : `a ${name}`;
}
