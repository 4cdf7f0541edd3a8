import type { EntityText } from '../entity/entity.js';
import type { Filter } from './filter.js';

/**
 * A cut between the rows of a table: just before or just after one row, or (without `rowKey`) before the first or
 * after the last row of a partition. Rows are ordered by PartitionKey, then RowKey, each by UTF-16 code unit.
 */
export interface KeyCut {
  readonly partitionKey: string;
  readonly rowKey?: string;
  readonly side: 'before' | 'after';
}

/** The rows between two cuts; an absent cut is the table's edge. */
export interface KeyRange {
  readonly from?: KeyCut;
  readonly to?: KeyCut;
}

/** What a query reads: these ranges, in order, keeping the rows that match, up to a page. */
export interface QueryPlan {
  /** Disjoint and ascending; none at all when nothing can match. */
  readonly ranges: readonly KeyRange[];
  /** The residual filter, or absent when every row of the ranges matches. */
  readonly matches?: (row: EntityText) => boolean;
  /** The same as a tree, for a store that can evaluate it otherwise than on the row's text. */
  readonly filter?: Filter;
  /** Most rows of the page; the store looks one match further to know whether to continue. */
  readonly rowsMax: number;
}
