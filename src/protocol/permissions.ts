/** The resource type that an account signature must have: s service, c container (table), o object (entity). */
export type SignedResourceType = 's' | 'c' | 'o';

/**
 * The moment at which a right is asked. The order of checks decides it.
 *
 * - `before-headers`: before the headers and the body are read. Source: checks-order 9.
 * - `before-input`: before the operation reads its options or its body. Source: checks-order 4.
 * - `after-input`: after the operation has read its body. Source: checks-order 4.
 * - `table-found`: after the input is read and the table is found. Source: checks-order 5, 6, 7, 8.
 * - `of-each-part`: never for the request itself; each operation in it has a right of its own. Source: checks-order 8.
 */
export type RightMoment = 'before-headers' | 'before-input' | 'after-input' | 'table-found' | 'of-each-part';

/**
 * What an operation requires of its caller, and when. Shared Key may do everything. Another kind of identity that is not
 * mentioned may not call the operation at all.
 *
 * Source: auth 2.6; recordings-facts 9. The documentation contradicts itself about Query Tables; the service
 * refuses it with `srt=s` alone (AzureStorageExplorer#6203, #8084).
 */
export interface Right {
  readonly asked: RightMoment;
  /** Whether a bearer token will do. */
  readonly bearerToken?: true;
  /** What an account signature must allow: the resource type, and all letters of one of these texts. */
  readonly accountSignature?: { readonly resourceType: SignedResourceType; readonly permissions: readonly string[] };
  /** The letters of which a table signature must have all. */
  readonly tableSignature?: string;
}
