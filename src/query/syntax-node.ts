import type { ComparisonOperator } from './filter.js';

/** What the grammar's actions build: the shape of a `$filter`, its meaning not yet checked. Source: filter.peggy. */
export type SyntaxNode =
  | ChainNode
  | { readonly kind: 'not'; readonly operand: SyntaxNode }
  | ComparisonNode
  | { readonly kind: 'property'; readonly name: string }
  | LiteralNode
  /** A function, its arguments dropped: none is implemented. */
  | { readonly kind: 'call'; readonly name: string }
  /** Anything with add, sub, mul, div, mod or a minus that belongs to no number. */
  | { readonly kind: 'arithmetic' };

/** Operands joined by one word. */
export interface ChainNode {
  readonly kind: 'and' | 'or';
  readonly operands: readonly SyntaxNode[];
}

/** A comparison as written, whichever side the property is on. */
export interface ComparisonNode {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
}

/** A constant as written. */
export interface LiteralNode {
  readonly kind: 'literal';
  readonly form: 'string' | 'number' | 'boolean' | 'null' | 'datetime' | 'guid' | 'binary' | 'x';
  /** What stands between the quotes as it is written (doubled quotes included), or before the suffix. */
  readonly value: string;
  /** The letter behind a number, if any. */
  readonly suffix?: string | null;
  /** The whole literal, as a refusal quotes it. */
  readonly source: string;
  /** Where it begins in the filter. Unit: UTF-16 code units. */
  readonly at: number;
}
