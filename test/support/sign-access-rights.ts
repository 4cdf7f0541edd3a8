/** What one operation asks of a shared access signature. */
export interface Right {
  readonly operation: string;
  /** The resource type that must be signed; none where no account signature will do. */
  readonly type: string;
  /** Permissions of an account signature, one of which must be signed; several letters are all needed. */
  readonly account: readonly string[];
  /** Permissions of a table signature, all of which must be signed; undefined where none will do. */
  readonly table: string | undefined;
}

/**
 * Who may do what: the table of the documentation and the recordings, written out by hand and apart from the server's
 * own. Source: auth 2.6.
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

/** Each letter alone, each two of them, and all. */
export function lettersOf(all: string): readonly string[] {
  const letters = [...all];
  const pairs = letters.flatMap((first, at) => letters.slice(at + 1).map((second) => first + second));
  return [...letters, ...pairs, all];
}

/** The code of the refusal that an account signature meets, undefined where it meets none. */
export function refusalOfAccount(right: Right, srt: string, sp: string): string | undefined {
  if (right.account.length === 0) return 'AuthorizationFailure';
  if (!srt.includes(right.type)) return 'AuthorizationResourceTypeMismatch';
  return right.account.some((needed) => holds(sp, needed)) ? undefined : 'AuthorizationPermissionMismatch';
}

/** The code of the refusal that a signature of the table at hand meets, undefined where it meets none. */
export function refusalOfTable(right: Right, sp: string): string | undefined {
  if (right.table === undefined) return 'AuthorizationFailure';
  return holds(sp, right.table) ? undefined : 'AuthorizationPermissionMismatch';
}

function holds(sp: string, needed: string): boolean {
  return [...needed].every((letter) => sp.includes(letter));
}
