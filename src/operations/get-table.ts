import { TableError } from '../protocol/errors.js';
import { isAnalyticsTable } from '../protocol/names.js';
import { namedTable, type StoreOperation } from './operation.js';
import { writeTableBody } from './table-body.js';

/**
 * Get Table: GET of a table by name. The cloud's documentation has it as a form of Query Tables.
 *
 * Answers 200 with the table. Errors: ResourceNotFound (404). Source: operations 8.1.
 */
export const getTable: StoreOperation = {
  name: 'Get Table',
  kind: 'store',

  async run(request, store) {
    const name = namedTable(request.resource);
    const table = isAnalyticsTable(name) ? { name } : await store.openTable(request.account, name).find();
    if (!table) throw new TableError('ResourceNotFound');
    return { status: 200, json: writeTableBody(request, table.name) };
  },
};
