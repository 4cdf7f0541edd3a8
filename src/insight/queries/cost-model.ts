import type { DialectName } from '../../protocol/access/accounts.js';
import type { Filter } from '../../query/filter/filter.js';
import { type Classification, classifyQuery, countComparisons } from './classify-query.js';
import type { QueryClass } from './query-classes.js';

/** The costs of filters in a service. */
export interface CostModel {
  classify(filter: Filter | undefined): Classification;
  /** Returns the number of comparisons that count towards the documented limit; 0 if there is none. */
  countComparisons(filter: Filter): number;
}

/** Storage accounts index only the keys, and document a limit for comparisons. */
export const keyedCosts: CostModel = { classify: classifyQuery, countComparisons };

/** The class of a query if all properties are indexed, by its class if only the keys are. */
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
 * Cosmos DB indexes every property, so no filter reads whole partitions. The cost depends on the number of partitions. Its keys
 * cause no faults, and only the service knows the request units.
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

/** The cost model of each service. */
export const costModels: Readonly<Record<DialectName, CostModel>> = { storage: keyedCosts, cosmos: indexedCosts };
