import { TableError } from '../../protocol/errors.js';
import { isRefusal } from '../../store/store.js';
import type { StoreOperation } from '../operation.js';

/**
 * Create Table: POST of a name to the table collection.
 *
 * Answers with the table that was created.
 * Errors: TableAlreadyExists (409), InvalidResourceName, OutOfRangeInput, InvalidInput, PropertiesNeedValue (400).
 * Source: operations 8.2; checks-order 4.
 */
export const createTable: StoreOperation<string> = {
  name: 'Create Table',
  kind: 'store',

  read(_request, body) {
    return body.readTableName();
  },

  async run({ account, rules }, store, name) {
    rules.checkTableName(name);
    const outcome = await store.createTable(account, name);
    if (isRefusal(outcome)) {
      throw new TableError('TableAlreadyExists', { evidence: () => ({ check: 'stored-table', table: name }) });
    }
    return { kind: 'table-created', name, created: outcome.created };
  },
};
