/** What an operation asks of the one who calls it. Source: auth, section 2.6. */
export interface Permission {
  /** The resource type that an account SAS must have: s service, c container (table), o object (entity). */
  readonly resourceType: 's' | 'c' | 'o';
  /** Permissions of an account SAS: any one of these, each of which may ask for several letters at once. */
  readonly account: readonly string[];
  /** Permissions of a table SAS, all of which are needed; absent where no table SAS will do. */
  readonly table?: string;
}

/**
 * Every operation and what it takes. Shared Key may do everything; what is not listed is for Shared Key alone.
 *
 * Source: auth, section 2.6; recordings-facts 9. The documentation contradicts itself about Query Tables; the service
 * refuses it with `srt=s` alone (AzureStorageExplorer#6203, #8084).
 */
export const operationPermissions = {
  'Query Tables': { resourceType: 'c', account: ['l'] },
  'Get Table': { resourceType: 'c', account: ['l'] },
  'Create Table': { resourceType: 'c', account: ['c', 'w'] },
  'Delete Table': { resourceType: 'c', account: ['d'] },
  'Query Entities': { resourceType: 'o', account: ['r'], table: 'r' },
  'Insert Entity': { resourceType: 'o', account: ['a'], table: 'a' },
  'Insert Or Replace Entity': { resourceType: 'o', account: ['au'], table: 'au' },
  'Insert Or Merge Entity': { resourceType: 'o', account: ['au'], table: 'au' },
  'Update Entity': { resourceType: 'o', account: ['u'], table: 'u' },
  'Merge Entity': { resourceType: 'o', account: ['u'], table: 'u' },
  'Delete Entity': { resourceType: 'o', account: ['d'], table: 'd' },
  'Get Table Service Properties': { resourceType: 's', account: ['r'] },
  'Set Table Service Properties': { resourceType: 's', account: ['w'] },
  'Get Table Service Stats': { resourceType: 's', account: ['r'] },
} as const satisfies Record<string, Permission>;

/** An operation that a shared access signature may allow. */
export type PermittedOperation = keyof typeof operationPermissions;

/** An operation whose right is asked for: a permitted one, or one that Shared Key alone has. */
export type AuthorizedOperation = PermittedOperation | 'Get Table ACL' | 'Set Table ACL' | 'Get User Delegation Key';
