/**
 * What a check compared when it refused a request, for explanations to the developer who sent it. The answer never
 * contains it: the service gives no reasons. It holds no key, signature or token.
 */
export type RefusalEvidence =
  /** The date of a Shared Key request is missing, malformed or too far from the server's clock. */
  | {
      readonly check: 'request-date';
      readonly date: string | undefined;
      /** Milliseconds since 1970. */
      readonly now: number;
    }
  /** No key of the account made the signature for any of these texts: those that the server would sign. */
  | { readonly check: 'signed-text'; readonly texts: readonly string[] }
  /** A shared access signature is not valid yet or not any more. Start and expiry are as sent; empty if absent. */
  | {
      readonly check: 'signature-times';
      readonly start: string;
      readonly expiry: string;
      /** Milliseconds since 1970. */
      readonly now: number;
    }
  /** A shared access signature does not allow the operation, or not on this table. */
  | {
      readonly check: 'right';
      readonly signature: 'account-signature' | 'table-signature';
      /** The letters that the signature gives. */
      readonly permissions: string;
      /** The table of the request, if it names one. */
      readonly table: string | undefined;
    };
