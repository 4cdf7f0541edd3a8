import type { TableHandle } from '../../store/store.js';

/** Returns a handle to the same table with some operations replaced. */
export function wrapTable(table: TableHandle, others: Partial<TableHandle>): TableHandle {
  return {
    traits: table.traits,
    find: () => table.find(),
    readEntity: (key) => table.readEntity(key),
    readPage: (plan, isGone) => table.readPage(plan, isGone),
    commit: (changes, writer) => table.commit(changes, writer),
    readAccessPolicies: () => table.readAccessPolicies(),
    writeAccessPolicies: (policies) => table.writeAccessPolicies(policies),
    ...others,
  };
}
