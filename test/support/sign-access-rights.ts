/** What one operation asks of a shared access signature. */
export interface Right {
  readonly operation: string;
  /** Resource types, one of which must be signed; none where no account signature will do. */
  readonly types: string;
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
  { operation: 'Query Tables', types: 'sc', account: ['l'], table: undefined },
  { operation: 'Get Table', types: 'sc', account: ['l'], table: undefined },
  { operation: 'Create Table', types: 'c', account: ['c', 'w'], table: undefined },
  { operation: 'Delete Table', types: 'c', account: ['d'], table: undefined },
  { operation: 'Query Entities', types: 'o', account: ['r'], table: 'r' },
  { operation: 'Insert Entity', types: 'o', account: ['a'], table: 'a' },
  { operation: 'Insert Or Replace Entity', types: 'o', account: ['au'], table: 'au' },
  { operation: 'Insert Or Merge Entity', types: 'o', account: ['au'], table: 'au' },
  { operation: 'Update Entity', types: 'o', account: ['u'], table: 'u' },
  { operation: 'Merge Entity', types: 'o', account: ['u'], table: 'u' },
  { operation: 'Delete Entity', types: 'o', account: ['d'], table: 'd' },
  { operation: 'Get Table Service Properties', types: 's', account: ['r'], table: undefined },
  { operation: 'Set Table Service Properties', types: 's', account: ['w'], table: undefined },
  { operation: 'Get Table Service Stats', types: 's', account: ['r'], table: undefined },
  { operation: 'Get Table ACL', types: '', account: [], table: undefined },
  { operation: 'Set Table ACL', types: '', account: [], table: undefined },
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
  if (![...right.types].some((type) => srt.includes(type))) return 'AuthorizationResourceTypeMismatch';
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
