import { TableError } from '../protocol/errors.js';
import type { ComparisonOperator, Filter } from './filter.js';
import { readLiteral } from './read-literal.js';
import type { ComparisonNode, LiteralNode, SyntaxNode } from './syntax-node.js';

/** What `5 gt x` is called with the property on the left. */
const mirrored: Record<ComparisonOperator, ComparisonOperator> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'lt',
  ge: 'le',
  lt: 'gt',
  le: 'ge',
};

/** The operators as refusals name them. */
const operatorKind = {
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
} as const;

/** OData's functions, of which the service implements none; any other name is no function at all. */
const knownFunctions = new Set(
  (
    'startswith endswith substringof contains indexof length replace substring tolower toupper trim concat ' +
    'year month day hour minute second fractionalseconds totaloffsetminutes totalseconds date time now ' +
    'mindatetime maxdatetime round floor ceiling isof cast'
  ).split(' '),
);

/**
 * Turns the shape of a filter into its meaning: every comparison is a property on the left and a normalised literal.
 * `text` is the whole filter, for the refusals that quote it.
 *
 * Errors as parse-filter.ts has them. Source: queries, section 2 and 5.3.
 */
export function checkFilter(node: SyntaxNode, text: string): Filter {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { kind: node.kind, operands: node.operands.map((_, at) => checkOperand(node, at, text)) };
    case 'not':
      return { kind: 'not', operand: checkNegated(node.operand, text) };
    case 'comparison':
      return checkComparison(node, text);
    case 'property':
      return { kind: 'property', name: node.name };
    case 'literal':
      return checkConstant(node, text, () => 'The $filter expression must evaluate to a single boolean value.');
    case 'call':
      throw refuseCall(node.name);
    case 'arithmetic':
      throw new TableError('NotImplemented');
  }
}

/** An operand of `and` or `or`: only a literal can be seen not to be boolean. */
function checkOperand(
  chain: { readonly kind: 'and' | 'or'; readonly operands: readonly SyntaxNode[] },
  at: number,
  text: string,
): Filter {
  const node = chain.operands[at] as SyntaxNode;
  if (node.kind !== 'literal') return checkFilter(node, text);
  return checkConstant(node, text, (type) => {
    // What stands left is boolean, or it would have been refused before; the first pair is met at its left side.
    const right = chain.operands[1];
    const rightType =
      right?.kind === 'literal' && right.form !== 'null' ? readLiteral(right, text).type : 'Edm.Boolean';
    const pair = at === 0 ? [type, rightType] : ['Edm.Boolean', type];
    return (
      'A binary operator with incompatible types was detected. ' +
      `Found operand types '${pair[0]}' and '${pair[1]}' for operator kind '${chain.kind === 'and' ? 'And' : 'Or'}'.`
    );
  });
}

function checkNegated(node: SyntaxNode, text: string): Filter {
  if (node.kind !== 'literal') return checkFilter(node, text);
  return checkConstant(
    node,
    text,
    (type) =>
      `A unary operator with an incompatible type was detected. Found operand type '${type}' for operator kind 'Not'.`,
  );
}

/** A literal standing alone: `true` and `false` are filters, anything else is refused in the words given. */
function checkConstant(node: LiteralNode, text: string, refusal: (type: string) => string): Filter {
  if (node.form === 'boolean') return { kind: 'constant', value: node.value === 'true' };
  if (node.form === 'null') throw new TableError('InvalidInput');
  throw new TableError('InvalidInput', { message: refusal(readLiteral(node, text).type) });
}

function checkComparison({ operator, left, right }: ComparisonNode, text: string): Filter {
  for (const side of [left, right]) if (side.kind === 'call') throw refuseCall(side.name);
  if (left.kind === 'property' && right.kind === 'literal') {
    refuseNull(right, operator);
    return { kind: 'comparison', property: left.name, operator, literal: readLiteral(right, text) };
  }
  if (left.kind === 'literal' && right.kind === 'property') {
    refuseNull(left, operator);
    return {
      kind: 'comparison',
      property: right.name,
      operator: mirrored[operator],
      literal: readLiteral(left, text),
    };
  }
  throw new TableError('NotImplemented');
}

function refuseNull(literal: LiteralNode, operator: ComparisonOperator): void {
  if (literal.form !== 'null') return;
  if (operator === 'eq' || operator === 'ne') throw new TableError('InvalidInput');
  const kind = operatorKind[operator];
  throw new TableError('InvalidInput', {
    message: `The operator '${kind}' is not supported for the 'null' literal; only equality checks are supported.`,
  });
}

function refuseCall(name: string): TableError {
  if (knownFunctions.has(name)) return new TableError('NotImplemented');
  return new TableError('InvalidInput', { message: `An unknown function with name '${name}' was found.` });
}
