import type { RoleNeed } from './roles.js';

/** The resource type that an account signature must have: s service, c container (table), o object (entity). */
type SignedResourceType = 's' | 'c' | 'o';

/**
 * The moment at which a right is checked. It follows from the service's order of checks.
 *
 * - `before-headers`: before the headers and the body are read. Source: checks-order 9.
 * - `before-input`: before the operation reads its options or its body. Source: checks-order 4.
 * - `after-input`: after the operation has read its body. Source: checks-order 4.
 * - `table-found`: after the table is found. Source: checks-order 5; checks-order 6; checks-order 7; checks-order 8.
 * - `of-each-part`: never for the request itself. Each operation in it has its own right. Source: checks-order 8.
 */
export type RightMoment = 'before-headers' | 'before-input' | 'after-input' | 'table-found' | 'of-each-part';

/**
 * The right that an operation requires of its caller, and the moment of its check. Shared Key permits everything. Other kinds of
 * identity cannot call the operation unless they are listed.
 *
 * Source: auth 2.6; recordings-facts 9. The documentation contradicts itself about Query Tables: the service rejects it
 * if `srt` is only `s` (AzureStorageExplorer#6203, #8084).
 */
export interface Right {
  readonly moment: RightMoment;
  /** The first version in which a bearer token is accepted; absent: in none. */
  readonly tokenSince?: string;
  /** The required permissions of the roles; absent: no role permits it. */
  readonly role?: RoleNeed;
  /** The rights that an account signature must have: the resource type, and all letters of one of these texts. */
  readonly accountSignature?: { readonly resourceType: SignedResourceType; readonly permissions: readonly string[] };
  /** The permissions of a table signature: all of these letters are required. */
  readonly tableSignature?: string;
}
