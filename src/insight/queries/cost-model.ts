import type { DialectName } from '../../protocol/access/accounts.js';
import type { Filter } from '../../query/filter/filter.js';
import { type Classification, classifyQuery, countComparisons } from './classify-query.js';
import type { QueryClass } from './query-classes.js';

/** How a service finds the entities of a query, as far as the filter tells. */
export interface CostModel {
  classify(filter: Filter | undefined): Classification;
  /** Returns the number of comparisons that count against what the service documents. */
  countComparisons(filter: Filter): number;
}

/** Storage accounts have no index but the keys, and document how many comparisons a filter may have. */
export const keyedCosts: CostModel = { classify: classifyQuery, countComparisons };

/** The class of a query where all properties have an index, by its class where only the keys have one. */
const indexedClass: Readonly<Record<QueryClass, QueryClass>> = {
  none: 'none',
  point: 'point',
  'row-range': 'one-partition',
  'partition-scan': 'one-partition',
  'one-partition': 'one-partition',
  'partition-range': 'cross-partition',
  'table-scan': 'cross-partition',
  'cross-partition': 'cross-partition',
};

/**
 * Cosmos DB has an index of every property, so no filter reads whole partitions. What counts is how many partitions it asks.
 * Faults of keys in a filter are none there, and nothing is said of request units, which only the service knows.
 *
 * Source: cosmos 13.
 */
export const indexedCosts: CostModel = {
  classify(filter) {
    const { class: name, flags, reads } = classifyQuery(filter);
    return {
      class: indexedClass[name],
      flags: flags.filter((flag) => flag === 'unfiltered'),
      reads,
    };
  },
  countComparisons: () => 0,
};

/** How each service finds the entities of a query. */
export const costModels: Readonly<Record<DialectName, CostModel>> = { storage: keyedCosts, cosmos: indexedCosts };
