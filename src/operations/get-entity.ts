import { signedRangeOf } from '../auth/authorize.js';
import { etagOf } from '../entity/entity.js';
import { TableError } from '../protocol/errors.js';
import { isWithin } from '../query/key-ranges.js';
import { parseSelect, type Select } from '../query/select.js';
import { isRefusal } from '../store/store.js';
import { writeEntityBody } from './entity-body.js';
import { addressedEntity, type StoreOperation } from './operation.js';
import { errorOfRefusal } from './refusals.js';

/**
 * Get Entity: GET with both keys. The cloud's documentation has it as a form of Query Entities.
 *
 * Answers 200 with the entity and its tag. Errors: ResourceNotFound (404), TableNotFound (404).
 * Source: operations 8.9; checks-order 5.
 */
export const getEntity: StoreOperation<Select | undefined> = {
  name: 'Get Entity',
  kind: 'store',

  read({ query }) {
    return parseSelect(query.get('$select'));
  },

  needsTable() {
    return true;
  },

  async run(request, store, select) {
    const { table, key } = addressedEntity(request.resource);
    const visible = isWithin(signedRangeOf(request.identity), key.partitionKey, key.rowKey);
    const text = await store.openTable(request.account, table).readEntity(key);
    if (isRefusal(text)) throw errorOfRefusal(text);
    if (!visible || text === undefined) throw new TableError('ResourceNotFound');
    return { status: 200, etag: etagOf(text), json: writeEntityBody(request, text, select) };
  },
};
