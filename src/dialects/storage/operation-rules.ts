import type { Query } from '../../address/query.js';
import type { EntityKey } from '../../entity/stored/entity.js';
import type { OperationRules } from '../../operations/operation-rules.js';
import { TableError } from '../../protocol/errors.js';
import { checkTableName, isAnalyticsTable, lowerAscii } from '../../protocol/names.js';
import { decodeTableToken, decodeToken } from '../../query/continuation-token.js';
import { invalidOption, readTop } from '../../query/query-options.js';

/** The rules of storage accounts for operations. */
export const operationRules: OperationRules = {
  adaptFilter: (filter) => filter,
  selectsBlanks: false,
  readTop,
  tablePlace: lowerAscii,
  arrangeTables: (tables) => tables,
  foldTableName: lowerAscii,
  readEntityStart,
  readTableStart,
  checkTableName: checkName,
  checkAddressedTable,
  hasEmptyKeys: true,
  mayRepeat: () => false,
};

/**
 * Returns the key at which a query continues. The row key may be missing, which means the start of the partition.
 * Errors: InvalidInput for a row key alone and for malformed tokens. Source: query 6.4.
 */
function readEntityStart(query: Query): EntityKey | undefined {
  const partitionKey = query.get('NextPartitionKey');
  const rowKey = query.get('NextRowKey');
  if (partitionKey === undefined && rowKey === undefined) return undefined;
  if (partitionKey === '') throw invalidOption('NextPartitionKey', '');
  if (partitionKey === undefined || rowKey === '') throw invalidOption('NextRowKey', rowKey ?? '');
  return { partitionKey: decodeToken(partitionKey), rowKey: rowKey === undefined ? '' : decodeToken(rowKey) };
}

function readTableStart(query: Query): string | undefined {
  const token = query.get('NextTableName');
  if (token === '') throw invalidOption('NextTableName', '');
  return token === undefined ? undefined : decodeTableToken(token);
}

/** Checks the name of a new table. Source: operations 8.2; checks-order 4. */
function checkName(name: string): void {
  const fault = checkTableName(name);
  if (fault === 'length') throw new TableError('OutOfRangeInput', { variant: { name: 'table-name-length' } });
  if (fault === 'characters') throw new TableError('InvalidResourceName');
  if (fault === 'reserved') throw new TableError('InvalidInput', { variant: { name: 'table-name-reserved' } });
}

/** Checks the name of a table in a path. Source: checks-order 2 step 13. */
function checkAddressedTable(name: string): void {
  const fault = checkTableName(name);
  if (fault === undefined || isAnalyticsTable(name)) return;
  if (fault === 'length') throw new TableError('OutOfRangeInput', { variant: { name: 'path-name-length' } });
  if (fault === 'characters')
    throw new TableError('InvalidResourceName', { variant: { name: 'path-name-characters' } });
}
