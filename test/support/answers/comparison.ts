import type { EdmType } from '../../../src/protocol/values/edm.js';
import type { Comparison, ComparisonOperator } from '../../../src/query/filter/filter.js';

/** Returns a comparison. */
export function comparison(property: string, operator: ComparisonOperator, type: EdmType, value: string): Comparison {
  return { kind: 'comparison', property, operator, literal: { type, value } };
}
