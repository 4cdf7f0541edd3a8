import { SyntaxError as FilterSyntaxError, parse } from '../../generated/filter.js';
import { type ErrorVariant, TableError } from '../../protocol/errors.js';
import { filterDepthMax, filterUnitsMax, int32Max, int32Min, int64Max, int64Min } from '../../protocol/limits.js';
import { lowerAscii } from '../../protocol/names.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import { declaredOfEntity, type EdmType } from '../../protocol/values/edm.js';
import { readGuid } from '../../protocol/values/guid.js';
import { readToken } from '../../protocol/values/token.js';
import type { ComparisonOperator, Filter, Literal } from './filter.js';
import type { ChainNode, ComparisonNode, LiteralNode, SyntaxNode } from './syntax-node.js';

/**
 * Parses a decoded `$filter`. Returns undefined for an empty or blank text, which selects every row.
 *
 * `declared` has the types of the declared properties. The default is for entities.
 *
 * Errors: InvalidInput (400) for a syntax error, incompatible types or `null`; OutOfRangeInput (400) for a date before
 * 1601; NotImplemented (501) for functions, arithmetic, and comparisons other than of a property with a literal.
 * Source: query 2; query 3; query 5.3; query 11.
 */
export function parseFilter(text: string, declared: DeclaredTypes = declaredOfEntity): Filter | undefined {
  if (text.trim() === '') return undefined;
  try {
    return parseAndCheck(text, declared);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const { code, variant } = error;
    throw new TableError(code, { variant, evidence: () => ({ check: 'filter', filter: text }) });
  }
}

function parseAndCheck(text: string, declared: DeclaredTypes): Filter {
  if (text.length > filterUnitsMax) throw new TableError('InvalidInput', { variant: { name: 'query-input' } });
  if (isTooDeep(text)) throw new TableError('InvalidInput', { variant: { name: 'filter-too-deep' } });
  return checkFilter(parseShape(text), text, declared);
}

function parseShape(text: string): SyntaxNode {
  try {
    return parse(text) as SyntaxNode;
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw syntaxFault(text, error.location.start.offset, error.expected);
  }
}

/** A token that the parser expected where it stopped. */
interface Expectation {
  readonly type: string;
  readonly text?: string;
  readonly description?: string;
}

/**
 * Returns the error for a text with a syntax error at `stopped`, where the parser expected one of `expected`.
 *
 * "Syntax error at position" has the index after the offending token. The other messages have the index of the fault.
 * Source: query 11.
 */
function syntaxFault(text: string, stopped: number, expected: readonly Expectation[]): TableError {
  const { kind, at: position, end, text: token } = readToken(text, stopped);
  if (kind === 'unterminated') return fault({ name: 'filter-string-unterminated', text });
  if (kind === 'unknown') return fault({ name: 'filter-character', character: token, position, text });
  const isSignOrEnd = kind === 'sign' || kind === 'end';
  if (isSignOrEnd && expected.some(({ description }) => description === 'property name')) {
    return fault({ name: 'filter-syntax', missing: 'expression', position, text });
  }
  if (expected.some((one) => one.text === ',')) {
    return fault({ name: 'filter-syntax', missing: 'comma', position, text });
  }
  if (expected.some((one) => one.text === ')')) {
    return fault({ name: 'filter-syntax', missing: 'operator', position, text });
  }
  return fault({ name: 'filter-syntax', position: end, text });
}

function fault(variant: ErrorVariant): TableError {
  return new TableError('InvalidInput', { variant });
}

/** Strings, parentheses and words. A string with a doubled quote is matched as two strings. */
const piece = /'[^']*'|[()]|[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]+/gu;

/**
 * Returns whether parentheses and `not` are nested too deeply for the parser, which uses the stack for each level. The
 * check runs before the parser, in one pass without recursion. For a malformed filter, the result is arbitrary.
 */
export function isTooDeep(text: string): boolean {
  const outside: number[] = [];
  let depth = 0;
  for (const [word] of text.matchAll(piece)) {
    if (word === '(') {
      outside.push(depth);
      depth++;
    } else if (word === ')') {
      depth = outside.pop() ?? 0;
    } else if (word === 'not') {
      depth++;
    } else if (word === 'and' || word === 'or') {
      // A `not` ends with its operand.
      depth = outside.length > 0 ? (outside.at(-1) ?? 0) + 1 : 0;
    }
    if (depth > filterDepthMax) return true;
  }
  return false;
}

/** The operator after the operands change sides: `5 gt x` is `x lt 5`. */
const mirrored: Record<ComparisonOperator, ComparisonOperator> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'lt',
  ge: 'le',
  lt: 'gt',
  le: 'ge',
};

/** The functions of OData. The service implements none of them. Any other name is an unknown function. */
const knownFunctions: ReadonlySet<string> = new Set(
  (
    'startswith endswith substringof contains indexof length replace substring tolower toupper trim concat ' +
    'year month day hour minute second fractionalseconds totaloffsetminutes totalseconds date time now ' +
    'mindatetime maxdatetime round floor ceiling isof cast'
  ).split(' '),
);

/** The types of the declared properties. All other properties are open: their type may differ between rows. */
type DeclaredTypes = ReadonlyMap<string, EdmType>;

/**
 * Checks a syntax tree and returns the filter. Every comparison has its property on the left and a normalized literal.
 * `text` is the whole filter, which error messages quote.
 *
 * A literal that cannot be read is reported first; then incompatible types, unknown functions and `null`, in the order
 * of the text; then operations that the service does not implement.
 *
 * Errors: those of `parseFilter`. Source: query 2; query 5.3; checks-order 1.
 */
function checkFilter(node: SyntaxNode, text: string, declared: DeclaredTypes): Filter {
  return new FilterCheck(text, declared).checkWhole(node);
}

/** A checked part of a filter. The type is absent if it is open, or if the filter will be rejected anyway. */
interface Checked {
  readonly filter: Filter;
  readonly type?: EdmType | undefined;
}

/** The placeholder for a part with a fault. */
const rejected: Checked = { filter: { kind: 'constant', value: false } };

class FilterCheck {
  readonly #text: string;
  readonly #declared: DeclaredTypes;
  /** The first fault of the filter. It takes precedence over `#isUnsupported`. */
  #fault: TableError | undefined;
  #isUnsupported = false;

  constructor(text: string, declared: DeclaredTypes) {
    this.#text = text;
    this.#declared = declared;
  }

  checkWhole(node: SyntaxNode): Filter {
    const { filter, type } = this.#check(node);
    if (!isBoolean(type)) this.#reject({ name: 'filter-not-boolean' });
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
        return this.#rejectCall(node.name);
      case 'arithmetic':
        return this.#rejectUnsupported();
    }
  }

  /**
   * Checks operands joined by `and` or `or`. They are joined from the left, so a message names the types of the first
   * two operands, or the type of the operands so far and that of a later operand.
   */
  #checkChain({ kind, operands }: ChainNode): Checked {
    const filters: Filter[] = [];
    let joined: EdmType | undefined;
    for (const [at, node] of operands.entries()) {
      const { filter, type } = this.#check(node);
      filters.push(filter);
      if (at > 0 && !(isBoolean(joined) && isBoolean(type))) this.#rejectOperands(joined, type, kind);
      joined = at === 0 ? type : joinedType(joined, type);
    }
    return { filter: { kind, operands: filters }, type: joined };
  }

  #checkNegation(node: SyntaxNode): Checked {
    const { filter, type } = this.#check(node);
    if (isBoolean(type)) return { filter: { kind: 'not', operand: filter }, type };
    return this.#reject({ name: 'filter-operand-type', type });
  }

  /** Checks a literal that is an operand by itself. The caller rejects all types except Edm.Boolean. */
  #checkConstant(node: LiteralNode): Checked {
    if (node.form === 'null') return this.#reject();
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
    // Faults in the operands take precedence over NotImplemented.
    this.#check(left);
    this.#check(right);
    return this.#rejectUnsupported();
  }

  #compare(property: string, operator: ComparisonOperator, node: LiteralNode, written: ComparisonOperator): Checked {
    if (node.form === 'null') return this.#rejectNull(written);
    const literal: Literal = readLiteral(node, this.#text);
    return { filter: { kind: 'comparison', property, operator, literal }, type: 'Edm.Boolean' };
  }

  #rejectOperands(left: EdmType | undefined, right: EdmType | undefined, kind: 'and' | 'or'): void {
    this.#reject({ name: 'filter-operand-types', left, right, operator: kind });
  }

  #rejectNull(operator: ComparisonOperator): Checked {
    if (operator === 'eq' || operator === 'ne') return this.#reject();
    return this.#reject({ name: 'filter-null-operator', operator });
  }

  #rejectCall(name: string): Checked {
    if (knownFunctions.has(name)) return this.#rejectUnsupported();
    return this.#reject({ name: 'filter-function-unknown', function: name });
  }

  #rejectUnsupported(): Checked {
    this.#isUnsupported = true;
    return rejected;
  }

  /** Records the first fault. By default, the fault has the usual text of InvalidInput. */
  #reject(variant: ErrorVariant = { name: 'query-input' }): Checked {
    this.#fault ??= new TableError('InvalidInput', { variant });
    return rejected;
  }
}

/** Returns whether an operand of this type may be used as a boolean. An open property may. */
function isBoolean(type: EdmType | undefined): boolean {
  return type === undefined || type === 'Edm.Boolean';
}

/** Returns the type of two joined operands: open if both are open, otherwise Edm.Boolean. */
function joinedType(left: EdmType | undefined, right: EdmType | undefined): EdmType | undefined {
  return left === undefined && right === undefined ? undefined : 'Edm.Boolean';
}

const int64DigitsMax = String(int64Max).length;

const hex = /^(?:[0-9a-f]{2})*$/;

/**
 * Converts a literal to its type and normal form, which `Literal` describes. The caller must have rejected `null`, which
 * does not have a type. `text` is the whole filter, which error messages quote.
 *
 * Errors: InvalidInput for a literal that is not valid for its type; OutOfRangeInput for a date before 1601.
 * Source: query 3.
 */
function readLiteral(node: LiteralNode, text: string): Literal {
  switch (node.form) {
    case 'string':
      return { type: 'Edm.String', value: node.value.replaceAll("''", "'") };
    case 'boolean':
      return { type: 'Edm.Boolean', value: node.value };
    case 'number':
      return readNumber(node, text);
    case 'datetime': {
      const reading = readDateTime(node.value);
      if ('text' in reading) return { type: 'Edm.DateTime', value: reading.text };
      throw reading.fault === 'out-of-range' ? new TableError('OutOfRangeInput') : unrecognized('DateTime', node, text);
    }
    case 'guid': {
      const value = readGuid(node.value);
      if (value === undefined) throw unrecognized('Guid', node, text);
      return { type: 'Edm.Guid', value };
    }
    case 'binary':
    case 'x': {
      const value = lowerAscii(node.value);
      if (!hex.test(value)) throw unrecognized('Binary', node, text);
      return { type: 'Edm.Binary', value };
    }
    case 'null':
      throw new TableError('InvalidInput');
  }
}

/** Reads a number. The suffix gives its type. Without a suffix, digits are an Int32 and everything else is a Double. */
function readNumber(node: LiteralNode, text: string): Literal {
  const whole = /^-?\d+$/.test(node.value);
  switch (node.suffix?.toUpperCase()) {
    case 'L': {
      const value = whole ? readInteger(node.value) : undefined;
      if (value === undefined) throw unrecognized('Int64', node, text);
      return { type: 'Edm.Int64', value: String(value) };
    }
    case 'D':
      return readDouble(node, text);
    case 'F':
      throw unrecognized('Single', node, text);
    case 'M':
      throw unrecognized('Decimal', node, text);
  }
  if (!whole) return readDouble(node, text);
  const value = Number(node.value);
  if (value < int32Min || value > int32Max) throw unrecognized('Int32', node, text);
  // -0 is normalized to 0.
  return { type: 'Edm.Int32', value: String(value || 0) };
}

/** Returns an integer, or undefined if Int64 cannot hold it. Checks the length first, because `BigInt` is slow on long texts. */
function readInteger(text: string): bigint | undefined {
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1');
  if (digits.length > int64DigitsMax + 1) return undefined;
  const value = BigInt(digits);
  return value >= int64Min && value <= int64Max ? value : undefined;
}

function readDouble(node: LiteralNode, text: string): Literal {
  if (node.value === 'NaN') return { type: 'Edm.Double', value: 'NaN' };
  if (node.value.endsWith('INF')) return { type: 'Edm.Double', value: node.value.replace('INF', 'Infinity') };
  const value = Number(node.value);
  // A number that overflows is an error. Infinity is written INF.
  if (!Number.isFinite(value)) throw unrecognized('Double', node, text);
  return { type: 'Edm.Double', value: String(value) };
}

function unrecognized(type: string, { source, at }: LiteralNode, text: string): TableError {
  return new TableError('InvalidInput', {
    variant: { name: 'filter-literal', type, literal: source, position: at, text },
  });
}
