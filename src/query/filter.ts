import type { EdmType } from '../protocol/edm.js';

/**
 * The tree of a `$filter`, as parse-filter.ts returns it: checked, so that evaluating and planning cannot fail.
 * What the nodes mean is evaluate-filter.ts. Source: query, "Grammar".
 */
export type Filter =
  /** All, or any, of two or more. A chain of thousands is one node, so that nothing recurses over its length. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Filter[] }
  | { readonly kind: 'not'; readonly operand: Filter }
  | Comparison
  /** A property standing alone: true where it exists, is Edm.Boolean and true. */
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: boolean };

/** A property against a literal; the property always stands left, a reversed comparison has been mirrored. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly property: string;
  readonly operator: ComparisonOperator;
  readonly literal: Literal;
}

/** The six operators, in the grammar's spelling. */
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/**
 * A typed constant. `value` by type: the string itself; `true`/`false`; decimal digits with an optional `-` (both
 * integers); any text `Number()` reads, or `NaN`, `Infinity`, `-Infinity`; canonical DateTime text; a lower-case guid;
 * lower-case hex of the bytes.
 */
export interface Literal {
  readonly type: EdmType;
  readonly value: string;
}
