import type { Change } from '../../entity/stored/change.js';
import type { Classification } from '../queries/classify-query.js';

/** The facts of every observed request. */
export interface ObservedRequest {
  /** When the request ended. Milliseconds since 1970. */
  readonly at: number;
  readonly requestId: string;
  readonly mark: string | undefined;
  readonly account: string;
  readonly table: string;
  readonly status: number;
  /** The same object for all requests of a connection. */
  readonly connection: object;
}

/** A page of a query of entities. */
export interface ObservedQuery extends ObservedRequest {
  readonly query: Pick<Classification, 'class' | 'flags' | 'reads'>;
  readonly shape: string;
  readonly comparisons: number;
  /** Returns the `$filter` as sent, decoded. Called only for the first query of a shape. */
  readFilter(): string;
  /** Returns cheaper filters, as `rewriteFilter` does. Called only for the first query of a shape. */
  rewrite(): readonly string[];
  readonly hasSelect: boolean;
  readonly hasTop: boolean;
  /** The RowKey at which it continues an earlier page; undefined for a first page. */
  readonly startRow: string | undefined;
  /** Whether the answer has a continuation token. */
  readonly continues: boolean;
  /** Whether the answer has full metadata, as in Atom. */
  readonly hasFullMetadata: boolean;
  readonly read: number;
  readonly returned: number;
  /** Size of the answer. Unit: bytes. */
  readonly bytes: number;
}

/** A query whose filter was rejected. */
export interface ObservedRejection extends ObservedRequest {
  readonly filter: string;
  readonly cause: string;
  readonly explanation: string;
}

/** A successful write or transaction. */
export interface ObservedWrite extends ObservedRequest {
  /** At least one, all in one partition. */
  readonly changes: readonly Change[];
  readonly isTransaction: boolean;
}
