import type { OperationName } from '../operation-names.js';

/**
 * The permissions of a role: actions manage a storage account and its tables, data actions read and write entities. `*` stands
 * for any characters. The `not…` lists are subtracted within the role.
 */
export interface RoleDefinition {
  readonly name: string;
  /** The ID of a built-in role, a GUID. */
  readonly id?: string;
  readonly actions: readonly string[];
  readonly notActions?: readonly string[];
  readonly dataActions: readonly string[];
  readonly notDataActions?: readonly string[];
}

/** The two kinds of actions: a role lists them apart. */
export type RolePlane = 'actions' | 'dataActions';

/** The actions that the caller's roles must permit: all of one of these lists. */
export interface RoleNeed {
  readonly plane: RolePlane;
  readonly anyOf: readonly (readonly string[])[];
}

/** A role of an identity, for an explanation. */
export interface HeldRole {
  readonly role: string;
  /** The account that the role is limited to; absent: all. */
  readonly account?: string | undefined;
  /** The table of that account that the role is limited to, in lower case; absent: all. */
  readonly table?: string | undefined;
}

/** The prefix of every action on tables. */
export const tableServiceActions = 'Microsoft.Storage/storageAccounts/tableServices';

const tables = `${tableServiceActions}/tables`;
const entities = `${tables}/entities`;

const manage = (action: string): RoleNeed => ({ plane: 'actions', anyOf: [[action]] });
const data = (...anyOf: readonly (readonly string[])[]): RoleNeed => ({
  plane: 'dataActions',
  anyOf: anyOf.map((all) => all.map((action) => `${entities}/${action}`)),
});

const upsert = data(['write'], ['add/action', 'update/action']);
const update = data(['write'], ['update/action']);

/** The role actions that each operation requires. A transaction requires those of its parts. Source: identity 4. */
export const roleNeeds: Readonly<Record<Exclude<OperationName, 'Entity Group Transaction'>, RoleNeed>> = {
  'Query Tables': manage(`${tables}/read`),
  'Get Table': manage(`${tables}/read`),
  'Create Table': manage(`${tables}/write`),
  'Delete Table': manage(`${tables}/delete`),
  'Query Entities': data(['read']),
  'Get Entity': data(['read']),
  'Insert Entity': data(['write'], ['add/action']),
  'Insert Or Merge Entity': upsert,
  'Insert Or Replace Entity': upsert,
  'Merge Entity': update,
  'Update Entity': update,
  'Delete Entity': data(['delete']),
  'Get Table Service Properties': manage(`${tableServiceActions}/read`),
  'Set Table Service Properties': manage(`${tableServiceActions}/write`),
  'Get Table Service Stats': manage(`${tableServiceActions}/read`),
  'Get Table ACL': manage(`${tables}/getAcl/action`),
  'Set Table ACL': manage(`${tables}/setAcl/action`),
  'Get User Delegation Key': manage(`${tableServiceActions}/generateUserDelegationKey/action`),
};

/** The built-in roles that permit something on tables. Source: identity 3. */
export const builtInRoles: readonly RoleDefinition[] = [
  {
    name: 'Storage Table Data Reader',
    id: '76199698-9eea-4c19-bc75-cec21354c6b6',
    actions: [`${tables}/read`],
    dataActions: [`${entities}/read`],
  },
  {
    name: 'Storage Table Data Contributor',
    id: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3',
    actions: [`${tables}/read`, `${tables}/write`, `${tables}/delete`],
    dataActions: ['read', 'write', 'delete', 'add/action', 'update/action'].map((action) => `${entities}/${action}`),
  },
  {
    name: 'Storage Table Delegator',
    id: '965033a5-c8eb-4f35-b82f-fef460a3606d',
    actions: [`${tableServiceActions}/generateUserDelegationKey/action`],
    dataActions: [],
  },
  {
    name: 'Storage Account Contributor',
    id: '17d1049b-9a84-46fb-8f53-869881c3d3ab',
    actions: ['Microsoft.Storage/storageAccounts/*'],
    dataActions: [],
  },
  { name: 'Owner', id: '8e3af657-a8ff-443c-a75c-2fe8c4bcb635', actions: ['*'], dataActions: [] },
  { name: 'Contributor', id: 'b24988ac-6180-42a0-ab88-20f7382dd24c', actions: ['*'], dataActions: [] },
  { name: 'Reader', id: 'acdd72a7-3385-48ef-bd42-f606fba81ae7', actions: ['*/read'], dataActions: [] },
];
