import type { NestedPath, Resource } from '../address/resource.js';
import type { BodyOpener } from '../formats/open-body.js';
import type { TableErrorCode } from '../protocol/error-codes.js';
import type { TableError } from '../protocol/errors.js';

/** Account and verb of a request, or of a part of a batch, whose path has several segments. */
export interface NestedRequest {
  readonly account: string;
  readonly method: string;
}

/** A path below a table that the service does not serve. It reports a missing table before the fault. */
export interface UnservedPath {
  readonly kind: 'unserved';
  readonly table: string;
  readonly fault: TableError;
}

/** The rules for reading requests that differ between services. */
export interface RequestRules {
  /** Whether `x-ms-version` and `sv` choose the version by which a request is served. Otherwise it is the newest. */
  readonly isVersioned: boolean;
  /** Whether the service speaks Atom, which is then the default. Otherwise the default is JSON. */
  readonly speaksAtom: boolean;
  /** Checks the target of a request before anything else. Errors: InvalidUri for a control character in the path. */
  checkTarget(target: string): void;
  /** Checks the path of a request after its account, before it is parsed. Errors: MethodNotAllowed. */
  checkPath(path: string, method: string): void;
  readonly hasReadOnlySecondary: boolean;
  /** Returns the code that rejects the operations with this `comp`, or undefined if the service has such operations. */
  rejectionOfComp(comp: string): TableErrorCode | undefined;
  /** Whether `Accept` decides over `$format`. Otherwise `$format` does. */
  readonly acceptFirst: boolean;
  /** Whether an upsert, which has no content in its answer, is rejected if `Accept` does not name JSON. */
  readonly upsertsNegotiate: boolean;
  readonly takesPatch: boolean;
  /** Whether a signature for a table may have a range of keys. */
  readonly hasSignedRanges: boolean;
  /** Whether identities use the service by their roles on tables. */
  readonly hasTableRoles: boolean;
  readonly hasCors: boolean;
  /** Whether a path of one segment belongs to the first account if the host names none. */
  readonly hasDefaultAccount: boolean;
  readonly operationsMax: number;
  /** Whether a batch without operations, or with an empty one, is answered like any other. Otherwise it is rejected as malformed. */
  readonly answersEmptyBatches: boolean;
  /** Whether the answers of a transaction count their operations from 1 as `Content-ID`. Otherwise they repeat the request's. */
  readonly countsParts: boolean;
  /** The errors that reject a transaction as a whole, without an answer for the operation at fault. */
  readonly rejectingTransactions: ReadonlySet<TableErrorCode>;
  /** Returns the resource of a path of several segments. Errors: those of the service for such a path. */
  readNestedPath(path: NestedPath, request: NestedRequest): Resource | UnservedPath;
  /** Opens a body in JSON, or in the XML of `?comp=`. */
  readonly openJson: BodyOpener;
}
