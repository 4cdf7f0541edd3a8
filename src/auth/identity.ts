/** Who sent a request, and so what it may do. */
export type Identity =
  /** Signed with a key of the account: everything. */
  | { readonly kind: 'shared-key' }
  /** A bearer token: everything but the access policies of tables. Roles are not looked at. */
  | { readonly kind: 'bearer-token' }
  | {
      readonly kind: 'account-signature';
      readonly version: string;
      readonly resourceTypes: string;
      readonly permissions: string;
    }
  | {
      readonly kind: 'table-signature';
      readonly version: string;
      /** Lower-cased. */
      readonly table: string;
      readonly permissions: string;
      readonly range: SignedKeyRange;
    };

/** The entities a table signature is limited to, both ends included; an absent end is open. Source: auth 2.5. */
export interface SignedKeyRange {
  readonly startPartitionKey?: string;
  readonly startRowKey?: string;
  readonly endPartitionKey?: string;
  readonly endRowKey?: string;
}
