import { lowerAscii } from '../../protocol/names.js';

/** Where a role applies: everywhere, on one account, or on one table of it. */
export interface RoleScope {
  readonly account?: string | undefined;
  /** In lower case. */
  readonly table?: string | undefined;
}

const accountPart =
  /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+\/providers\/microsoft\.storage\/storageaccounts\/([^/]+)(\/.*)?$/i;

/**
 * Parses a scope of Azure Resource Manager, as role assignments have it: a management group, a subscription or a resource group
 * contains every account; an account, its table service or a table is that one. Returns undefined if it contains no tables.
 * Source: identity 3.
 */
export function parseScope(scope: string): RoleScope | undefined {
  const path = scope.replace(/\/$/, '');
  if (/^(?:\/providers\/microsoft\.management\/managementgroups\/[^/]+)?$/i.test(path)) return {};
  if (/^\/subscriptions\/[^/]+(?:\/resourcegroups\/[^/]+)?$/i.test(path)) return {};
  const [, account, rest = ''] = accountPart.exec(path) ?? [];
  if (account === undefined) return undefined;
  if (/^(?:\/tableservices\/default)?$/i.test(rest)) return { account: lowerAscii(account) };
  const [, table] = /^\/tableservices\/default\/tables\/([^/]+)$/i.exec(rest) ?? [];
  return table === undefined ? undefined : { account: lowerAscii(account), table: lowerAscii(table) };
}
