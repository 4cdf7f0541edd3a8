/** What an operation asks of the one who calls it. Source: auth, section 2.6. */
export interface Permission {
  /** Resource types of an account SAS, any of which will do: s service, c container, o object. */
  readonly resourceTypes: string;
  /** Permissions of an account SAS: any one of these, each of which may ask for several letters at once. */
  readonly account: readonly string[];
  /** Permissions of a table SAS, all of which are needed; absent where no table SAS will do. */
  readonly table?: string;
}

/**
 * Every operation and what it takes. Shared Key may do everything; what is not listed is for Shared Key alone.
 *
 * Where the documentation contradicts itself (Query Tables: service or container) either is accepted.
 * Source: auth, section 2.6; recordings-facts 9.
 */
export const operationPermissions = {
  'Query Tables': { resourceTypes: 'cs', account: ['l'] },
  'Get Table': { resourceTypes: 'cs', account: ['l'] },
  'Create Table': { resourceTypes: 'c', account: ['c', 'w'] },
  'Delete Table': { resourceTypes: 'c', account: ['d'] },
  'Query Entities': { resourceTypes: 'o', account: ['r'], table: 'r' },
  'Insert Entity': { resourceTypes: 'o', account: ['a'], table: 'a' },
  'Insert Or Replace Entity': { resourceTypes: 'o', account: ['au'], table: 'au' },
  'Insert Or Merge Entity': { resourceTypes: 'o', account: ['au'], table: 'au' },
  'Update Entity': { resourceTypes: 'o', account: ['u'], table: 'u' },
  'Merge Entity': { resourceTypes: 'o', account: ['u'], table: 'u' },
  'Delete Entity': { resourceTypes: 'o', account: ['d'], table: 'd' },
  'Get Table Service Properties': { resourceTypes: 's', account: ['r'] },
  'Set Table Service Properties': { resourceTypes: 's', account: ['w'] },
  'Get Table Service Stats': { resourceTypes: 's', account: ['r'] },
} as const satisfies Record<string, Permission>;

/** An operation that a shared access signature may allow. */
export type PermittedOperation = keyof typeof operationPermissions;

/** An operation whose right is asked for: a permitted one, or one that Shared Key alone has. */
export type AuthorizedOperation = PermittedOperation | 'Get Table ACL' | 'Set Table ACL' | 'Get User Delegation Key';
