import type { EntityKey } from '../../entity/stored/entity.js';
import type { Filter } from '../filter/filter.js';

/** Where a page begins: at a row, or at the next one if that row is gone. */
export interface PageStart extends EntityKey {
  /**
   * The place of the row, in a table in the order of insertion; then the key has no meaning. Absent: in key order. It is a
   * text of 16 lower-case hex digits. Later places are greater.
   */
  readonly place?: string;
}

/**
 * A position between the rows of a table: immediately before or after a row or, without `rowKey`, before the first or
 * after the last row of a partition. Rows are ordered by PartitionKey, then RowKey, each by UTF-16 code unit.
 */
export interface KeyCut {
  readonly partitionKey: string;
  readonly rowKey?: string;
  readonly side: 'before' | 'after';
}

/** The rows between two cuts. If a cut is absent, the range begins or ends with the table. */
export interface KeyRange {
  readonly from?: KeyCut;
  readonly to?: KeyCut;
}

/** The plan of one page: the store reads the ranges in order and returns up to `rowsMax` rows that match. */
export interface QueryPlan {
  /** Disjoint and ascending. Empty if no row can match. */
  readonly ranges: readonly KeyRange[];
  /** Where the page begins in a table in the order of insertion. Absent: at the first row of the ranges. */
  readonly startAt?: PageStart;
  /** `key`: rows are in key order, whatever the order of the table's service. */
  readonly order?: 'key';
  /** The filter that the rows of the ranges must match; the engine compiles it. Absent if all of them match. */
  readonly filter?: Filter;
  /** Maximum number of rows in the page. The store looks for one more match to decide whether the query continues. */
  readonly rowsMax: number;
  /** The page ends after this many bytes of stored text. Absent: `pageBytesMax` of the service's limits. */
  readonly bytesMax?: number;
}
