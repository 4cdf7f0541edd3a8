import { openAddressedTable, type RequestBody, type StoreOperation } from '../operation.js';
import { errorOfRefusal, missingTableFirst } from '../refusals.js';

/**
 * Set Table ACL: replaces all stored access policies of a table; an empty body clears them. Shared Key only.
 *
 * Errors: those of `checkAddressedTable`, TableNotFound (404), InvalidXmlDocument (400), MediaTypeNotSupported (415).
 * Source: operations 8.5; checks-order 9.
 */
export const setTableAcl: StoreOperation<RequestBody> = {
  name: 'Set Table ACL',
  kind: 'store',

  read(_request, body) {
    return body;
  },

  async run(request, _store, body) {
    const table = openAddressedTable(request);
    const policies = await body.readAccessPolicies().catch(async (fault: unknown) => {
      throw await missingTableFirst(table, fault);
    });
    const refusal = await table.writeAccessPolicies(policies);
    if (refusal) throw errorOfRefusal(refusal);
    return { kind: 'access-policies-set' };
  },
};
