import { Query } from '../../../src/address/query.js';
import { storageDialect } from '../../../src/dialects/storage/storage-dialect.js';
import { BodyText } from '../../../src/formats/body-text.js';
import type { OperationRequest, RequestContext } from '../../../src/operations/operation.js';
import { RequestTables } from '../../../src/operations/request-tables.js';
import { RequiredRight } from '../../../src/operations/required-right.js';
import { KnownFilters } from '../../../src/query/filter/known-filters.js';
import type { TableStore } from '../../../src/store/store.js';

/** The body of a request that has none. */
export const emptyBody = new BodyText('');

/** Returns a request of the account's owner as operations see it, on the tables of a store, with these members changed. */
export function operationRequest(
  store: TableStore,
  changes: Partial<RequestContext & Pick<OperationRequest, 'resource'>>,
): OperationRequest {
  const account = changes.account ?? 'devstoreaccount1';
  const identity = { kind: 'shared-key' } as const;
  const { resource = { kind: 'tables' }, ...others } = changes;
  const shared: RequestContext = {
    account,
    identity,
    right: new RequiredRight({ moment: 'before-input' }, identity, resource, {
      account: 'devstoreaccount1',
      version: '2019-02-02',
    }),
    query: new Query(''),
    version: '2019-02-02',
    rules: storageDialect.operations,
    filters: new KnownFilters(),
    ifMatch: undefined,
    ifNoneMatch: undefined,
    tables: new RequestTables(store, account),
    now: Date.now,
    isGone: () => false,
    ...others,
  };
  return { resource, shared };
}
