import type { Principal, TokenAuthority } from './token-authority.js';

/** The sender of a request, with its rights. */
export type Identity =
  /** Signed with a key of the account: no limits. */
  | { readonly kind: 'shared-key' }
  /** A bearer token: everything except the access policies of tables. Roles are ignored. */
  | { readonly kind: 'bearer-token' }
  /** A verified token, limited by the roles of its principal. */
  | { readonly kind: 'principal'; readonly principal: Principal; readonly authority: TokenAuthority }
  | {
      readonly kind: 'account-signature';
      readonly version: string;
      readonly resourceTypes: string;
      readonly permissions: string;
    }
  | {
      readonly kind: 'table-signature';
      readonly version: string;
      /** In lower case. */
      readonly table: string;
      readonly permissions: string;
      readonly range: SignedKeyRange;
      /** The identity that signed it, whose roles must permit the operation, too; absent: signed with a key of the account. */
      readonly delegator?: Principal;
    };

/**
 * The rows that a table signature is limited to, as a range of keys (`KeyRange` of the query layer). Both ends are
 * included; an absent end is open. Source: auth 2.5.
 */
export interface SignedKeyRange {
  readonly from?: SignedKeyCut<'before'>;
  readonly to?: SignedKeyCut<'after'>;
}

/** One end of the range: a row, or a whole partition if there is no row key. */
interface SignedKeyCut<Side> {
  readonly partitionKey: string;
  readonly rowKey?: string;
  readonly side: Side;
}
