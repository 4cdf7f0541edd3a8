import type { Principal } from '../auth/token-authority.js';
import { permitsAction, permitsNeed } from '../protocol/access/permitted-actions.js';
import type { HeldRole, RoleDefinition, RoleNeed } from '../protocol/access/roles.js';
import { lowerAscii } from '../protocol/names.js';

/** The scope of a role: everything, one account, or one table of it. */
interface RoleScope {
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

/** A role of an identity at a scope. */
export interface RoleAssignment extends RoleScope {
  readonly role: RoleDefinition;
}

/** The IDs and the name of a principal. */
type PrincipalIds = Pick<Principal, 'name' | 'objectId' | 'clientId' | 'tenant'>;

/** A principal with its role assignments, which add up. Each action is matched against the roles once. */
export class AssignedPrincipal implements Principal {
  readonly name: string | undefined;
  readonly objectId: string;
  readonly clientId: string | undefined;
  readonly tenant: string;
  readonly roles: readonly HeldRole[];
  readonly #assignments: readonly RoleAssignment[];
  readonly #scopesOf = new Map<string, readonly RoleScope[]>();

  constructor({ name, objectId, clientId, tenant }: PrincipalIds, assignments: readonly RoleAssignment[]) {
    this.name = name;
    this.objectId = objectId;
    this.clientId = clientId;
    this.tenant = tenant;
    this.#assignments = assignments;
    this.roles = assignments.map(held);
  }

  /** Returns this principal with the tenant and the program that a token names. */
  as({ clientId, tenant }: Pick<PrincipalIds, 'clientId' | 'tenant'>): AssignedPrincipal {
    const { name, objectId } = this;
    if (clientId === this.clientId && tenant === this.tenant) return this;
    return new AssignedPrincipal({ name, objectId, clientId, tenant }, this.#assignments);
  }

  /** Whether this is its name, or its client or object ID in any letter case. */
  isNamed(named: string): boolean {
    const id = lowerAscii(named);
    return this.name === named || this.clientId === id || this.objectId === id;
  }

  allows(need: RoleNeed, account: string, table: string | undefined): boolean {
    const folded = table === undefined ? undefined : lowerAscii(table);
    return need.anyOf.some((all) =>
      all.every((action) => this.#scopes(need, action).some((scope) => covers(scope, account, folded))),
    );
  }

  rolesFor(need: RoleNeed): readonly HeldRole[] {
    return this.#assignments.filter(({ role }) => permitsNeed(role, need)).map(held);
  }

  /** Returns the scopes at which an action is permitted. */
  #scopes({ plane }: RoleNeed, action: string): readonly RoleScope[] {
    const known = this.#scopesOf.get(action);
    if (known) return known;
    const scopes = this.#assignments.filter(({ role }) => permitsAction(role, plane, action));
    this.#scopesOf.set(action, scopes);
    return scopes;
  }
}

function held({ role, account, table }: RoleAssignment): HeldRole {
  return { role: role.name, account, table };
}

/** Whether a scope contains an account, or a table of it in lower case. The account itself is above its tables. */
function covers(scope: RoleScope, account: string, table: string | undefined): boolean {
  return (
    (scope.account === undefined || scope.account === lowerAscii(account)) &&
    (scope.table === undefined || scope.table === table)
  );
}
