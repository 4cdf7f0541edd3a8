import type { EdmType } from '../../../protocol/values/edm.js';
import type { ComparisonOperator, Filter } from '../../../query/filter/filter.js';
import { literalOf } from '../../client/value.js';

/** A row of the builder: a comparison, or rows that belong together. */
export type Clause = ComparisonClause | GroupClause;

/** A comparison of a property with a value. */
export interface ComparisonClause {
  readonly kind: 'comparison';
  readonly property: string;
  readonly operator: ComparisonOperator;
  readonly type: EdmType;
  /** The value without quotes; binary in base64. */
  readonly text: string;
}

/** Rows that are joined by `and` or by `or`. */
export interface GroupClause {
  readonly kind: 'group';
  readonly join: 'and' | 'or';
  readonly clauses: readonly Clause[];
}

/** The operators with their words, in the order of the choice. */
export const operatorWords = {
  eq: 'equals',
  ne: 'does not equal',
  gt: 'is greater than',
  ge: 'is at least',
  lt: 'is less than',
  le: 'is at most',
} as const satisfies Readonly<Record<ComparisonOperator, string>>;

/** The clause of a new row. */
export const newClause: ComparisonClause = {
  kind: 'comparison',
  property: 'PartitionKey',
  operator: 'eq',
  type: 'Edm.String',
  text: '',
};

/** Returns the rows of a filter; undefined if it has what the builder has no rows for. */
export function clausesOf(filter: Filter | undefined): GroupClause | undefined {
  if (!filter) return { kind: 'group', join: 'and', clauses: [] };
  const clause = clauseOf(filter);
  return clause?.kind === 'comparison' ? { kind: 'group', join: 'and', clauses: [clause] } : clause;
}

/** Writes rows as a filter, which reads as the same rows. */
export function writeClauses({ join, clauses }: GroupClause): string {
  return clauses
    .flatMap((clause) => {
      if (clause.kind === 'comparison') return [`${clause.property} ${clause.operator} ${literalOf(clause)}`];
      const inner = writeClauses(clause);
      return inner === '' ? [] : [clause.clauses.length > 1 ? `(${inner})` : inner];
    })
    .join(` ${join} `);
}

function clauseOf(filter: Filter): Clause | undefined {
  if (filter.kind === 'comparison') {
    const { property, operator, literal } = filter;
    const text = literal.type === 'Edm.Binary' ? base64Of(literal.value) : literal.value;
    return { kind: 'comparison', property, operator, type: literal.type, text };
  }
  if (filter.kind !== 'and' && filter.kind !== 'or') return undefined;
  const clauses = filter.operands.map(clauseOf);
  return clauses.every((clause) => clause !== undefined) ? { kind: 'group', join: filter.kind, clauses } : undefined;
}

function base64Of(hex: string): string {
  return btoa((hex.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(''));
}
