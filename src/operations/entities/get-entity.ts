import { signedRangeOf } from '../../auth/authorize.js';
import type { EntityKey, EntityText } from '../../entity/stored/entity.js';
import { TableError } from '../../protocol/errors.js';
import { lowerAscii } from '../../protocol/names.js';
import { isWithin } from '../../query/plan/key-ranges.js';
import { parseSelect, type Select } from '../../query/select.js';
import { isRefusal, type Refusal } from '../../store/store.js';
import type { Answer } from '../answer.js';
import { addressedEntity, openAddressedTable, type StoreOperation } from '../operation.js';
import { errorOfRefusal } from '../refusals.js';

/**
 * Get Entity: GET with both keys. The service's documentation describes it under Query Entities.
 *
 * Answers with the entity. Errors: those of `checkAddressedTable`, ResourceNotFound (404), TableNotFound (404).
 * Source: operations 8.9; checks-order 5.
 */
export const getEntity: StoreOperation<Select | undefined> = {
  name: 'Get Entity',
  kind: 'store',

  read({ query, rules }) {
    const text = query.get('$select');
    return text === undefined ? undefined : parseSelect(text, rules.selectsBlanks);
  },

  needsTable() {
    return true;
  },

  run(request, _store, select) {
    const { table, key } = addressedEntity(request.resource);
    const { identity } = request;
    const visible =
      identity.kind !== 'table-signature' || isWithin(signedRangeOf(identity), key.partitionKey, key.rowKey);
    const answer = (text: EntityText | undefined | Refusal): Answer => {
      if (isRefusal(text)) throw errorOfRefusal(text);
      if (!visible) throw new TableError('ResourceNotFound', { evidence: () => ({ check: 'signed-range', ...key }) });
      if (text === undefined) throw missingEntity(table, key);
      return { kind: 'entity', text, select };
    };
    const found = openAddressedTable(request).readEntity(key);
    return found instanceof Promise ? found.then(answer) : answer(found);
  },
};

function missingEntity(table: string, key: EntityKey): TableError {
  return new TableError('ResourceNotFound', {
    evidence: () => ({
      ...{ check: 'stored-entity', table: lowerAscii(table), ...key },
      ...{ sentEtag: undefined, presentEtag: undefined },
    }),
  });
}
