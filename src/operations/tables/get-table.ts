import { TableError } from '../../protocol/errors.js';
import { isAnalyticsTable } from '../../protocol/names.js';
import { namedTable, type StoreOperation } from '../operation.js';

/**
 * Get Table: GET of a table by name. The service's documentation describes it under Query Tables.
 *
 * Answers with the table. Errors: ResourceNotFound (404). Source: operations 8.1.
 */
export const getTable: StoreOperation = {
  name: 'Get Table',
  kind: 'store',

  async run({ resource, tables }) {
    const name = namedTable(resource);
    const table = isAnalyticsTable(name) ? { name } : await tables.open(name).find();
    if (!table) throw new TableError('ResourceNotFound');
    return { kind: 'table', name: table.name };
  },
};
