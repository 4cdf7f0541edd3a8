import type { HeldRole, RoleNeed } from '../protocol/access/roles.js';
import type { DelegationKeyFields } from '../protocol/access/user-delegation.js';

/** The identity behind a verified token. */
export interface Principal {
  /** Its name in the file of identities; undefined if the file does not list it. */
  readonly name: string | undefined;
  readonly objectId: string;
  /** The ID of the program. */
  readonly clientId: string | undefined;
  readonly tenant: string;
  readonly roles: readonly HeldRole[];
  /** Whether its roles permit an operation on an account, or on a table of it. */
  allows(need: RoleNeed, account: string, table: string | undefined): boolean;
  /** Returns its roles that would permit the operation on another account or table. */
  rolesFor(need: RoleNeed): readonly HeldRole[];
}

/** A token with verified signature, issuer and times, but an unchecked audience. */
export interface VerifiedToken {
  readonly principal: Principal;
  readonly audiences: readonly string[];
}

/** Verifies tokens by the identities of a server. */
export interface TokenAuthority {
  /** Whether requests signed with a key of the account are rejected. */
  readonly rejectsKeys: boolean;
  readonly tenant: string;
  /**
   * Verifies a token. `now` is in milliseconds since 1970. A known token is returned at once, without a promise.
   * Errors, thrown or rejected with: TokenFault.
   */
  verify(token: string, now: number): VerifiedToken | Promise<VerifiedToken>;
  /** Returns the principal of an object ID. One that the file does not list has no roles. */
  principalOf(ids: Pick<Principal, 'objectId' | 'tenant'>): Principal;
  /** Derives the value of a user delegation key, 32 bytes. Nothing of it is stored. */
  delegationValue(key: DelegationKeyFields): Buffer;
}

/** Why a token is not accepted, in words, with the compared values. It never contains the token. */
export class TokenFault extends Error {
  override readonly name = 'TokenFault';
  readonly expected: string | undefined;
  readonly found: string | undefined;

  constructor(message: string, { expected, found }: { expected?: string; found?: string } = {}) {
    super(message);
    this.expected = expected;
    this.found = found;
  }
}
