/** What one operation requires of a shared access signature. */
export interface Right {
  readonly operation: string;
  /** The required resource type. Empty if no account signature is accepted. */
  readonly type: string;
  /** Alternatives of permissions of an account signature. All letters of one alternative are required. */
  readonly account: readonly string[];
  /** The required permissions of a table signature. Undefined if no table signature is accepted. */
  readonly table: string | undefined;
}

/**
 * The required rights of each operation. The table is written by hand from the documentation and the recordings,
 * independently of the server's code. Source: auth 2.6.
 */
export const rights: readonly Right[] = [
  { operation: 'Query Tables', type: 'c', account: ['l'], table: undefined },
  { operation: 'Get Table', type: 'c', account: ['l'], table: undefined },
  { operation: 'Create Table', type: 'c', account: ['c', 'w'], table: undefined },
  { operation: 'Delete Table', type: 'c', account: ['d'], table: undefined },
  { operation: 'Query Entities', type: 'o', account: ['r'], table: 'r' },
  { operation: 'Insert Entity', type: 'o', account: ['a'], table: 'a' },
  { operation: 'Insert Or Replace Entity', type: 'o', account: ['au'], table: 'au' },
  { operation: 'Insert Or Merge Entity', type: 'o', account: ['au'], table: 'au' },
  { operation: 'Update Entity', type: 'o', account: ['u'], table: 'u' },
  { operation: 'Merge Entity', type: 'o', account: ['u'], table: 'u' },
  { operation: 'Delete Entity', type: 'o', account: ['d'], table: 'd' },
  { operation: 'Get Table Service Properties', type: 's', account: ['r'], table: undefined },
  { operation: 'Set Table Service Properties', type: 's', account: ['w'], table: undefined },
  { operation: 'Get Table Service Stats', type: 's', account: ['r'], table: undefined },
  { operation: 'Get Table ACL', type: '', account: [], table: undefined },
  { operation: 'Set Table ACL', type: '', account: [], table: undefined },
];

/** Returns each single letter, each pair of letters, and all letters. */
export function lettersOf(all: string): readonly string[] {
  const letters = [...all];
  const pairs = letters.flatMap((first, at) => letters.slice(at + 1).map((second) => first + second));
  return [...letters, ...pairs, all];
}

/** Returns the error code for an account signature. Undefined if it is accepted. */
export function rejectionOfAccount(right: Right, srt: string, sp: string): string | undefined {
  if (right.account.length === 0) return 'AuthorizationFailure';
  if (!srt.includes(right.type)) return 'AuthorizationResourceTypeMismatch';
  return right.account.some((needed) => holds(sp, needed)) ? undefined : 'AuthorizationPermissionMismatch';
}

/** Returns the error code for a signature of the tested table. Undefined if it is accepted. */
export function rejectionOfTable(right: Right, sp: string): string | undefined {
  if (right.table === undefined) return 'AuthorizationFailure';
  return holds(sp, right.table) ? undefined : 'AuthorizationPermissionMismatch';
}

function holds(sp: string, needed: string): boolean {
  return [...needed].every((letter) => sp.includes(letter));
}
