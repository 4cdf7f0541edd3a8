import type { Comparison, Filter } from '../../../query/filter/filter.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns a filter in which every comparison with a binary literal also compares with the string of the same bytes. Keys are
 * strings, so a key is found by its range. Source: cosmos 15.7.
 */
export function matchStrings(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.some(hasBinary) ? { ...filter, operands: filter.operands.map(matchStrings) } : filter;
    case 'not':
      return hasBinary(filter.operand) ? { ...filter, operand: matchStrings(filter.operand) } : filter;
    case 'comparison':
      return filter.literal.type === 'Edm.Binary' ? compareBoth(filter) : filter;
    case 'property':
    case 'constant':
      return filter;
  }
}

function hasBinary(filter: Filter): boolean {
  if (filter.kind === 'comparison') return filter.literal.type === 'Edm.Binary';
  if (filter.kind === 'not') return hasBinary(filter.operand);
  return 'operands' in filter && filter.operands.some(hasBinary);
}

/** Values of other types satisfy `ne`, `lt` and `le`, so with these operators both comparisons must be true. */
function compareBoth(binary: Comparison): Filter {
  const text = textOf(binary.literal.value);
  if (text === undefined) return binary;
  const string: Comparison = { ...binary, literal: { type: 'Edm.String', value: text } };
  if (binary.property === 'PartitionKey' || binary.property === 'RowKey') return string;
  const isStrict = binary.operator === 'eq' || binary.operator === 'gt' || binary.operator === 'ge';
  return { kind: isStrict ? 'or' : 'and', operands: [binary, string] };
}

/** Returns the text of bytes in hex, or undefined if no text has these bytes. */
function textOf(hex: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(hex, 'hex'));
  } catch {
    return undefined;
  }
}
