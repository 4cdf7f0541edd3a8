import type { EdmType } from '../../protocol/values/edm.js';

/**
 * The tree of a `$filter`, as `parseFilter` returns it. It is checked, so evaluation and planning cannot fail.
 * evaluate-filter.ts implements the nodes. Source: query 2.
 */
export type Filter =
  /** Two or more operands. A chain of thousands is one node, so that no code recurses over its length. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Filter[] }
  | { readonly kind: 'not'; readonly operand: Filter }
  | Comparison
  /** A property by itself: true if it exists, is an Edm.Boolean and is true. */
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: boolean };

/** A comparison of a property with a literal, mirrored if the property was on the right. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly property: string;
  readonly operator: ComparisonOperator;
  readonly literal: Literal;
}

/** The six operators, spelled as in the grammar. */
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/**
 * A typed constant. The form of `value` depends on the type:
 *
 * - Edm.String: the string itself
 * - Edm.Boolean: `true` or `false`
 * - Edm.Int32, Edm.Int64: decimal digits with an optional `-`
 * - Edm.Double: a text that `Number()` parses, including `NaN`, `Infinity` and `-Infinity`
 * - Edm.DateTime: canonical text
 * - Edm.Guid: canonical text, which is in lower case
 * - Edm.Binary: the bytes in lower-case hex
 */
export interface Literal {
  readonly type: EdmType;
  readonly value: string;
}

/** Returns the names of all properties that a filter compares. */
export function propertiesOf(filter: Filter): ReadonlySet<string> {
  const names = new Set<string>();
  addProperties(filter, names);
  return names;
}

function addProperties(filter: Filter, names: Set<string>): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const operand of filter.operands) addProperties(operand, names);
      break;
    case 'not':
      addProperties(filter.operand, names);
      break;
    case 'comparison':
      names.add(filter.property);
      break;
    case 'property':
      names.add(filter.name);
      break;
    case 'constant':
  }
}
