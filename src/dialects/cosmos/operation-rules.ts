import type { OperationRules } from '../../operations/operation-rules.js';
import { TableError } from '../../protocol/errors.js';
import type { Comparison, Filter } from '../../query/filter/filter.js';
import { invalidOption } from '../../query/query-options.js';
import { arrangeTables, readEntityStart, readTableStart, tablePlace } from './tokens.js';

/** How Cosmos DB reads requests. Source: cosmos 4; cosmos 6; cosmos 8; cosmos 13. */
export const operationRules: OperationRules = {
  adaptFilter: matchStrings,
  // Source: cosmos 15.8.
  selectsBlanks: true,
  readTop,
  tablePlace,
  arrangeTables,
  foldTableName: (name) => name,
  readEntityStart,
  readTableStart,
  checkTableName,
  // A name that no table can have is like that of any missing table.
  checkAddressedTable: () => {},
  hasEmptyKeys: false,
  // Only inserts are checked: two merges of one entity are made one after the other.
  mayRepeat: ({ kind }) => kind !== 'insert',
};

/** Parses `$top`, which may be above 1000. Errors: InvalidInput. Source: cosmos 13. */
function readTop(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw invalidOption('$top', text);
  return Number(text);
}

/** Maximum length of a table name. Unit: UTF-16 code units. Source: cosmos 15.11. */
const tableNameUnitsMax = 254;

/** Characters that no name of a resource of Cosmos DB may have. A space at the end is refused, too. Source: cosmos 13. */
const forbiddenInName = /[/\\#?\u0000-\u001f\u007f-\u009f]| $/;

/** Checks the name of a new table. Its alphabet is free. Errors: InvalidResourceName, InvalidInput, OutOfRangeInput. Source: cosmos 15.11. */
function checkTableName(name: string): void {
  if (name === '') throw new TableError('InvalidResourceName');
  const [character] = forbiddenInName.exec(name) ?? [];
  if (character !== undefined) {
    throw new TableError('InvalidInput', { variant: { name: 'table-name-character', character } });
  }
  if (name.length > tableNameUnitsMax) {
    throw new TableError('OutOfRangeInput', { variant: { name: 'table-name-too-long', table: name } });
  }
}

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
