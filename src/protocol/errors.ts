import type { TableErrorCode } from './error-codes.js';
import type { RejectionEvidence } from './rejection-evidence.js';

/**
 * A case of a code for which the service has its own text or format, with the values in the text. For a case that a dialect
 * does not implement, it uses the usual text of the code.
 */
export type ErrorVariant =
  // addresses and headers
  /** `ending`: when the account was removed, in a sentence. */
  | { readonly name: 'account-unknown'; readonly accounts: readonly string[]; readonly ending?: string }
  | { readonly name: 'host-not-allowed'; readonly advice: string }
  | { readonly name: 'body-not-json' }
  /** A control character that the web server in front of the service rejects; `hasNul` if U+0000 is among them. */
  | { readonly name: 'path-control-character'; readonly hasNul: boolean }
  | { readonly name: 'target-too-long'; readonly max: number }
  | { readonly name: 'content-type-missing' }
  | { readonly name: 'path-syntax' }
  // Positions are indexes into the text, which is that between the parentheses.
  | { readonly name: 'path-string-unterminated'; readonly text: string }
  | { readonly name: 'path-character'; readonly character: string; readonly position: number; readonly text: string }
  | { readonly name: 'path-without-table' }
  | { readonly name: 'key-count'; readonly resource: string }
  | { readonly name: 'path-key-character' }
  | { readonly name: 'path-name-length' }
  | { readonly name: 'path-name-characters' }
  | { readonly name: 'comp-unknown' }
  | { readonly name: 'xml-not-accepted' }
  | { readonly name: 'preflight-header-missing' }
  | { readonly name: 'etag-malformed'; readonly etag: string }
  | { readonly name: 'if-none-match'; readonly verb: string }
  // rights
  | { readonly name: 'caller-address'; readonly address: string }
  | { readonly name: 'bearer-rejected' }
  /** With the tenant that the challenge names; absent: that of an account without identities. */
  | { readonly name: 'bearer-challenged'; readonly tenant?: string }
  | { readonly name: 'tenant-challenged'; readonly tenant: string }
  | { readonly name: 'signature-wrong'; readonly signed: string }
  | { readonly name: 'policy-field-repeated' }
  | { readonly name: 'signed-range' }
  // tables, values and transactions
  | { readonly name: 'table-name-length' }
  | { readonly name: 'table-name-too-long'; readonly table: string }
  | { readonly name: 'table-name-character'; readonly character: string }
  | { readonly name: 'table-name-cut' }
  | { readonly name: 'table-name-reserved' }
  | { readonly name: 'property-name'; readonly property: string }
  | { readonly name: 'value-unreadable' }
  | { readonly name: 'value-out-of-range'; readonly property: string; readonly value: string }
  | { readonly name: 'operation-empty' }
  /** The key that assigns a transaction to a partition. */
  | { readonly name: 'partition-key-missing' }
  | { readonly name: 'batch-malformed' }
  | { readonly name: 'partition-keys' }
  | { readonly name: 'changes-too-many'; readonly max: number }
  | { readonly name: 'select-syntax'; readonly position: number }
  /** Input of a query that no other case describes. */
  | { readonly name: 'query-input' }
  // filters; positions are indexes into the text, which is the whole filter
  | { readonly name: 'filter-too-deep' }
  | { readonly name: 'filter-string-unterminated'; readonly text: string }
  | { readonly name: 'filter-character'; readonly character: string; readonly position: number; readonly text: string }
  | { readonly name: 'filter-syntax'; readonly missing?: FilterGap; readonly position: number; readonly text: string }
  | {
      readonly name: 'filter-literal';
      readonly type: string;
      readonly literal: string;
      readonly position: number;
      readonly text: string;
    }
  | { readonly name: 'filter-not-boolean' }
  | { readonly name: 'filter-operand-type'; readonly type: string | undefined }
  | {
      readonly name: 'filter-operand-types';
      readonly left: string | undefined;
      readonly right: string | undefined;
      readonly operator: 'and' | 'or';
    }
  | { readonly name: 'filter-null-operator'; readonly operator: 'gt' | 'ge' | 'lt' | 'le' }
  | { readonly name: 'filter-function-unknown'; readonly function: string };

/** The part that is missing at a syntax error in a filter. */
export type FilterGap = 'expression' | 'comma' | 'operator';

/** The details of an error, in addition to its code. */
interface TableErrorDetails {
  readonly variant?: ErrorVariant | undefined;
  /** Zero-based position of the operation at fault within its entity group transaction. */
  readonly at?: number;
  /** Returns the values that the failed check compared. Called only to explain the error. */
  readonly evidence?: (() => RejectionEvidence) | undefined;
}

/**
 * An error of the service as a value: its code, the case of the code, and the operation of a transaction that failed.
 * Any layer may throw it. The dialect of the listener decides status, text and wire format.
 */
export class TableError extends Error {
  readonly code: TableErrorCode;
  readonly variant: ErrorVariant | undefined;
  readonly at: number | undefined;
  readonly #evidence: (() => RejectionEvidence) | undefined;
  /** The result of `#evidence`, which may search a whole body. */
  #found: RejectionEvidence | undefined;

  /** Creates an error. Its `message` names code and case for logs and tests and is never sent to clients. */
  constructor(code: TableErrorCode, { variant, at, evidence }: TableErrorDetails = {}) {
    super(variant === undefined ? code : `${code} (${variant.name})`);
    this.name = 'TableError';
    this.code = code;
    this.variant = variant;
    this.at = at;
    this.#evidence = evidence;
  }

  /** Returns the values that the failed check compared, or undefined if it recorded none. Answers never contain them. */
  evidence(): RejectionEvidence | undefined {
    this.#found ??= this.#evidence?.();
    return this.#found;
  }

  /** Returns the same error with the position of the operation at fault in its transaction, starting at zero. */
  placedAt(at: number): TableError {
    return new TableError(this.code, { variant: this.variant, at, evidence: this.#evidence });
  }
}

/** Returns the error for a feature that the service of an account does not have. Its evidence leads to the fix. */
export function notInService(code: TableErrorCode, feature: MissingFeature, variant?: ErrorVariant): TableError {
  return new TableError(code, { variant, evidence: () => ({ check: 'not-in-service', feature }) });
}

type MissingFeature = Extract<RejectionEvidence, { readonly check: 'not-in-service' }>['feature'];
