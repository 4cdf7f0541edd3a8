import type { OperationRules } from '../../operations/operation-rules.js';
import { TableError } from '../../protocol/errors.js';
import { invalidOption } from '../../query/query-options.js';
import { matchStrings } from './body/binary-literals.js';
import { arrangeTables, tablePlace } from './table-order.js';
import { readEntityStart, readTableStart } from './tokens.js';

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
