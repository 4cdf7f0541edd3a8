import { signedRangeOf } from '../../auth/authorize.js';
import type { EntityKey, EntityText } from '../../entity/stored/entity.js';
import { TableError } from '../../protocol/errors.js';
import { lowerAscii } from '../../protocol/names.js';
import { compileTextTest } from '../../query/filter/text-test.js';
import { isWithin } from '../../query/plan/key-ranges.js';
import { parseSelect, type Select } from '../../query/select.js';
import { isRefusal, type Refusal } from '../../store/store.js';
import type { Answer } from '../answer.js';
import { addressedEntity, openAddressedTable, type StoreOperation } from '../operation.js';
import { errorOfRefusal } from '../refusals.js';

/** What is asked of one entity. */
interface EntityRead {
  readonly select: Select | undefined;
  /** Returns whether an entity satisfies the filter; undefined if there is none. */
  readonly matches: ((text: EntityText) => boolean) | undefined;
}

/**
 * Get Entity: GET with both keys. The service's documentation describes it under Query Entities. A `$filter` is a condition: an
 * entity that does not match it is not found.
 *
 * Answers with the entity. Errors: those of `parseFilter`, those of `checkAddressedTable`, ResourceNotFound (404),
 * TableNotFound (404). Source: operations 8.9; checks-order 5.
 */
export const getEntity: StoreOperation<EntityRead> = {
  name: 'Get Entity',
  kind: 'store',

  read({ query, rules, filters }) {
    const listed = query.get('$select');
    const select = listed === undefined ? undefined : parseSelect(listed, rules.selectsBlanks);
    const text = query.get('$filter');
    const filter = text === undefined ? undefined : filters.parse(text);
    return { select, matches: filter && compileTextTest(rules.adaptFilter(filter)) };
  },

  needsTable() {
    return true;
  },

  run(request, _store, { select, matches }) {
    const { table, key } = addressedEntity(request.resource);
    const { identity } = request;
    const visible =
      identity.kind !== 'table-signature' || isWithin(signedRangeOf(identity), key.partitionKey, key.rowKey);
    const answer = (text: EntityText | undefined | Refusal): Answer => {
      if (isRefusal(text)) throw errorOfRefusal(text);
      if (!visible) throw new TableError('ResourceNotFound', { evidence: () => ({ check: 'signed-range', ...key }) });
      if (text === undefined) throw missingEntity(table, key);
      if (matches && !matches(text)) throw unmatchedEntity(request.query.get('$filter') ?? '');
      return { kind: 'entity', text, select };
    };
    const found = openAddressedTable(request).readEntity(key);
    return found instanceof Promise ? found.then(answer) : answer(found);
  },
};

function unmatchedEntity(filter: string): TableError {
  return new TableError('ResourceNotFound', { evidence: () => ({ check: 'filter-unmatched', filter }) });
}

function missingEntity(table: string, key: EntityKey): TableError {
  return new TableError('ResourceNotFound', {
    evidence: () => ({
      ...{ check: 'stored-entity', table: lowerAscii(table), ...key },
      ...{ sentEtag: undefined, presentEtag: undefined },
    }),
  });
}
