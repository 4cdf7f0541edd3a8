import type { EdmType } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import type { ComparisonOperator, Filter, Literal } from './filter.js';
import { readLiteral } from './read-literal.js';
import type { ChainNode, ComparisonNode, LiteralNode, SyntaxNode } from './syntax-node.js';

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
  and: 'And',
  or: 'Or',
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
} as const;

/** OData's functions. The service implements none of them; any other name is not a function. */
const knownFunctions = new Set(
  (
    'startswith endswith substringof contains indexof length replace substring tolower toupper trim concat ' +
    'year month day hour minute second fractionalseconds totaloffsetminutes totalseconds date time now ' +
    'mindatetime maxdatetime round floor ceiling isof cast'
  ).split(' '),
);

/** The types of the properties that are declared. All other properties are open: their type is known per row. */
export type DeclaredTypes = ReadonlyMap<string, EdmType>;

/**
 * Turns the shape of a filter into its meaning: every comparison is a property on the left and a normalised literal.
 * `text` is the whole filter, for the refusals that quote it.
 *
 * A literal that cannot be read is refused first, then types that clash, unknown functions and `null` in the order of
 * the text, then what the service does not implement.
 *
 * Errors as parse-filter.ts has them. Source: queries, sections 2 and 5.3; checks-order, section 1 for the order.
 */
export function checkFilter(node: SyntaxNode, text: string, declared: DeclaredTypes): Filter {
  return new FilterCheck(text, declared).checkWhole(node);
}

/** A checked part of a filter. Without a type it is open, or its type does not matter since it will be refused. */
interface Checked {
  readonly filter: Filter;
  readonly type?: EdmType | undefined;
}

/** Stands for a part that will be refused. */
const refused: Checked = { filter: { kind: 'constant', value: false } };

class FilterCheck {
  readonly #text: string;
  readonly #declared: DeclaredTypes;
  /** The first fault of the request itself. */
  #fault: TableError | undefined;
  #isUnsupported = false;

  constructor(text: string, declared: DeclaredTypes) {
    this.#text = text;
    this.#declared = declared;
  }

  checkWhole(node: SyntaxNode): Filter {
    const { filter, type } = this.#check(node);
    if (!isBoolean(type)) this.#refuse('The $filter expression must evaluate to a single boolean value.');
    if (this.#fault) throw this.#fault;
    if (this.#isUnsupported) throw new TableError('NotImplemented');
    return filter;
  }

  #check(node: SyntaxNode): Checked {
    switch (node.kind) {
      case 'and':
      case 'or':
        return this.#checkChain(node);
      case 'not':
        return this.#checkNegation(node.operand);
      case 'comparison':
        return this.#checkComparison(node);
      case 'property':
        return { filter: { kind: 'property', name: node.name }, type: this.#declared.get(node.name) };
      case 'literal':
        return this.#checkConstant(node);
      case 'call':
        return this.#refuseCall(node.name);
      case 'arithmetic':
        return this.#refuseUnsupported();
    }
  }

  /** Operands are joined from the left, so a refusal names the first pair, or Edm.Boolean and a later operand. */
  #checkChain({ kind, operands }: ChainNode): Checked {
    const filters: Filter[] = [];
    let joined: EdmType | undefined;
    for (const [at, node] of operands.entries()) {
      const { filter, type } = this.#check(node);
      filters.push(filter);
      if (at > 0 && !(isBoolean(joined) && isBoolean(type))) this.#refuseOperands(joined, type, kind);
      joined = at === 0 ? type : joinedType(joined, type);
    }
    return { filter: { kind, operands: filters }, type: joined };
  }

  #checkNegation(node: SyntaxNode): Checked {
    const { filter, type } = this.#check(node);
    if (isBoolean(type)) return { filter: { kind: 'not', operand: filter }, type };
    return this.#refuse(
      'A unary operator with an incompatible type was detected. ' +
        `Found operand type '${type}' for operator kind 'Not'.`,
    );
  }

  /** A literal that stands alone: only `true` and `false` are filters. The types of others are refused further up. */
  #checkConstant(node: LiteralNode): Checked {
    if (node.form === 'null') return this.#refuse();
    const { type, value } = readLiteral(node, this.#text);
    return { filter: { kind: 'constant', value: value === 'true' }, type };
  }

  #checkComparison({ operator, left, right }: ComparisonNode): Checked {
    if (left.kind === 'property' && right.kind === 'literal') {
      return this.#compare(left.name, operator, right, operator);
    }
    if (left.kind === 'literal' && right.kind === 'property') {
      return this.#compare(right.name, mirrored[operator], left, operator);
    }
    // Only to find the faults in them, which come before what is not implemented.
    this.#check(left);
    this.#check(right);
    return this.#refuseUnsupported();
  }

  #compare(property: string, operator: ComparisonOperator, node: LiteralNode, written: ComparisonOperator): Checked {
    if (node.form === 'null') return this.#refuseNull(written);
    const literal: Literal = readLiteral(node, this.#text);
    return { filter: { kind: 'comparison', property, operator, literal }, type: 'Edm.Boolean' };
  }

  #refuseOperands(left: EdmType | undefined, right: EdmType | undefined, kind: 'and' | 'or'): void {
    this.#refuse(
      'A binary operator with incompatible types was detected. ' +
        `Found operand types '${left ?? '<null>'}' and '${right ?? '<null>'}' for operator kind '${operatorKind[kind]}'.`,
    );
  }

  #refuseNull(operator: ComparisonOperator): Checked {
    if (operator === 'eq' || operator === 'ne') return this.#refuse();
    const kind = operatorKind[operator];
    return this.#refuse(
      `The operator '${kind}' is not supported for the 'null' literal; only equality checks are supported.`,
    );
  }

  #refuseCall(name: string): Checked {
    if (knownFunctions.has(name)) return this.#refuseUnsupported();
    return this.#refuse(`An unknown function with name '${name}' was found.`);
  }

  #refuseUnsupported(): Checked {
    this.#isUnsupported = true;
    return refused;
  }

  /** Keeps the first fault; without a message it has the usual text of InvalidInput. */
  #refuse(message?: string): Checked {
    this.#fault ??= new TableError('InvalidInput', message === undefined ? {} : { message });
    return refused;
  }
}

/** Whether a type may stand where a boolean is wanted: open properties may, since their rows decide. */
function isBoolean(type: EdmType | undefined): boolean {
  return type === undefined || type === 'Edm.Boolean';
}

/** The type of two operands joined: open where both are, else boolean. */
function joinedType(left: EdmType | undefined, right: EdmType | undefined): EdmType | undefined {
  return left === undefined && right === undefined ? undefined : 'Edm.Boolean';
}
