import type { ComparisonOperator } from './filter.js';

/** The syntax tree of a `$filter`, as the grammar builds it. Its types are not checked. Source: grammar/filter.peggy. */
export type SyntaxNode =
  | ChainNode
  | { readonly kind: 'not'; readonly operand: SyntaxNode }
  | ComparisonNode
  | { readonly kind: 'property'; readonly name: string }
  | LiteralNode
  /** A call of a function, without its arguments, because the service implements no functions. */
  | { readonly kind: 'call'; readonly name: string }
  /** An expression with add, sub, mul, div, mod, or a minus that is not part of a number. */
  | { readonly kind: 'arithmetic' };

/** Operands joined by the same operator. */
export interface ChainNode {
  readonly kind: 'and' | 'or';
  readonly operands: readonly SyntaxNode[];
}

/** A comparison as written. The property may be on either side. */
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
  /** The text between the quotes, with doubled quotes as written, or the text before the suffix. */
  readonly value: string;
  /** The letter after a number, if any. */
  readonly suffix?: string | null;
  /** The whole literal, which error messages quote. */
  readonly source: string;
  /** The index in the filter where the literal begins. Unit: UTF-16 code units. */
  readonly at: number;
}
