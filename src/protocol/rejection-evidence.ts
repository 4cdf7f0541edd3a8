import type { HeldRole, RoleNeed } from './access/roles.js';
import type { ServiceTraits } from './service-traits.js';

/**
 * The values that a check compared when it rejected a request, to explain the rejection to the developer who sent it.
 * Answers never contain them, because the service gives no reasons. Keys, signatures and tokens are never among them.
 */
export type RejectionEvidence =
  /** The date of a Shared Key request is missing, malformed or too far from the server's clock. */
  | {
      readonly check: 'request-date';
      readonly date: string | undefined;
      /** Milliseconds since 1970. */
      readonly now: number;
    }
  /** The signature does not match any of these texts, which the server would sign, with any key of the account. */
  | { readonly check: 'signed-text'; readonly texts: readonly string[] }
  /** A shared access signature is not valid yet or has expired. Start and expiry are as sent, and empty if absent. */
  | {
      readonly check: 'signature-times';
      readonly start: string;
      readonly expiry: string;
      /** Milliseconds since 1970. */
      readonly now: number;
    }
  /** A shared access signature does not permit the operation, or not on this table. */
  | {
      readonly check: 'right';
      readonly signature: 'account-signature' | 'table-signature';
      readonly permissions: string;
      /** The table of the request, if it names one. */
      readonly table: string | undefined;
    }
  /** The roles of an identity do not permit the operation. */
  | {
      readonly check: 'role';
      /** Its name, or its object ID if the file of identities does not list it. */
      readonly identity: string;
      readonly isListed: boolean;
      readonly held: readonly HeldRole[];
      /** Those of its roles that would permit the operation on another account or table. */
      readonly elsewhere: readonly HeldRole[];
      readonly need: RoleNeed | undefined;
      readonly account: string;
      /** The table of the request, if it names one. */
      readonly table: string | undefined;
    }
  /** A bearer token is not accepted. */
  | {
      readonly check: 'token';
      readonly fault: string;
      readonly expected: string | undefined;
      readonly found: string | undefined;
    }
  /** The entity is outside of the keys that a shared access signature is limited to. Whether it exists stays unknown. */
  | { readonly check: 'signed-range'; readonly partitionKey: string; readonly rowKey: string }
  /** An entity or a value is too large, or has too many properties. Some of the sent ones, the one at fault or the largest first. */
  | {
      readonly check: 'entity-size';
      /** By the formula of the service. */
      readonly bytes: number;
      /** Number of sent properties, without the keys. */
      readonly count: number;
      readonly properties: readonly SentSize[];
      /** The service of the account, with its limits. */
      readonly traits: ServiceTraits;
    }
  /** The entity of a write exists, is missing, or has another ETag than the write names; or that of a read is missing. */
  | {
      readonly check: 'stored-entity';
      /** In lower case. */
      readonly table: string;
      readonly partitionKey: string;
      readonly rowKey: string;
      /** The ETag of If-Match, or `*`, if the write names one. */
      readonly sentEtag: string | undefined;
      /** The ETag of the entity; undefined if it is missing or not known. */
      readonly presentEtag: string | undefined;
    }
  /** The table to create exists. Its name as sent. */
  | { readonly check: 'stored-table'; readonly table: string }
  /** The envelope of a transaction or the address of one of its operations is wrong. `value` is the boundary, type or URL at fault. */
  | { readonly check: 'batch'; readonly fault: BatchFault; readonly value: string }
  /** Two operations of a transaction name the same entity. Positions begin at 0. */
  | { readonly check: 'same-row'; readonly rowKey: string; readonly first: number; readonly second: number }
  /**
   * The name or the value of a property in the body cannot be stored. `type` is the type that the value should have, and `value` the
   * value without quotes; both are undefined if it is a list or an object.
   */
  | { readonly check: 'property'; readonly property: string; readonly type?: string; readonly value?: string }
  /** The type of a property in the body, as `A@odata.type`, is not a string. */
  | { readonly check: 'annotation'; readonly property: string }
  /** A key in the body is not a string, or has the type of something else. */
  | { readonly check: 'key-type'; readonly key: 'PartitionKey' | 'RowKey'; readonly type?: string | undefined }
  /** The body lacks a key of the entity or the name of the table, or in some services has an empty one. `sent` has the names of others. */
  | { readonly check: 'member-missing'; readonly members: readonly string[]; readonly sent: readonly string[] }
  /** An option of the query is not valid, or the service does not have it. Its value is decoded. */
  | { readonly check: 'query-option'; readonly option: string; readonly value: string }
  /** The `$filter` is not valid. The whole filter, decoded. */
  | { readonly check: 'filter'; readonly filter: string }
  /** The entity of a read exists, but does not match the `$filter` of the read. The whole filter, decoded. */
  | { readonly check: 'filter-unmatched'; readonly filter: string }
  /** A header or an option has a value that cannot be served. Its value as sent; `needs` is a sentence. */
  | { readonly check: 'header-value'; readonly header: string; readonly value: string; readonly needs: string }
  /** An element of a document in XML is unexpected, repeated, missing, or has a wrong value. `path` names it and its parents. */
  | {
      readonly check: 'xml-element';
      readonly path: string;
      readonly fault: 'unexpected' | 'missing' | 'value';
      /** The text of the element. */
      readonly value: string;
      /** The expectation of the service, as a sentence. */
      readonly needs: string;
    }
  /** The operation needs a header that was not sent. */
  | { readonly check: 'header-missing'; readonly header: string }
  /** A key in the URL has a character that keys cannot have. */
  | { readonly check: 'key-character'; readonly key: 'PartitionKey' | 'RowKey'; readonly value: string }
  /** The service that the account belongs to does not have this, though another one does. */
  | { readonly check: 'not-in-service'; readonly feature: 'patch' | 'comp' | 'signed-range' }
  /** The store accepts no writes. `fault` gives the reason and the fix, in sentences. */
  | { readonly check: 'obstacle'; readonly fault: string }
  /** A fault rule answered in place of the operation, or after it. */
  | { readonly check: 'fault'; readonly rule: string; readonly effect: string }
  /** The body is not one JSON object, or not well-formed XML. */
  | {
      readonly check: 'body-syntax';
      readonly format: 'JSON' | 'XML';
      /** Undefined if it was not found within the bounds of the search. */
      readonly fault: BodyFault | undefined;
    };

/** The place of a fault in a transaction: its type, its parts, its change set or a part of that. */
export type BatchFault =
  | 'boundary'
  | 'queries'
  | 'change-set'
  | 'change-sets'
  | 'change-set-boundary'
  | 'cut'
  | 'query'
  | 'account';

/** The size of a sent key or property. */
export interface SentSize {
  readonly name: string;
  /** The type of the property; undefined for a key. */
  readonly type: string | undefined;
  /** Bytes of the value by the formula of the service. */
  readonly bytes: number;
}

/** Where a body cannot be read. */
export interface BodyFault {
  readonly place: {
    /** Unit: UTF-16 code units, from 0. */
    readonly at: number;
    /** From 1. */
    readonly line: number;
    /** From 1. Unit: UTF-16 code units. */
    readonly column: number;
  };
  /** The character there, or `the end`. */
  readonly found: string;
  /** The possible tokens there, in words. */
  readonly expected: string;
}
