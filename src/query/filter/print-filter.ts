import type { Filter, Literal } from './filter.js';

/** Writes a filter as a client would. Operands that are not single comparisons are in parentheses. Source: query 2. */
export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.map(printOperand).join(` ${filter.kind} `);
    case 'not':
      return filter.operand.kind === 'comparison'
        ? `not (${printFilter(filter.operand)})`
        : `not ${printOperand(filter.operand)}`;
    case 'comparison':
      return `${filter.property} ${filter.operator} ${printLiteral(filter.literal)}`;
    case 'property':
      return filter.name;
    case 'constant':
      return String(filter.value);
  }
}

function printOperand(filter: Filter): string {
  const hasOperands = filter.kind === 'and' || filter.kind === 'or' || filter.kind === 'not';
  return hasOperands ? `(${printFilter(filter)})` : printFilter(filter);
}

/** Writes a literal with an unambiguous type. Source: query 3. */
export function printLiteral({ type, value }: Literal): string {
  switch (type) {
    case 'Edm.String':
      return `'${value.replaceAll("'", "''")}'`;
    case 'Edm.Boolean':
    case 'Edm.Int32':
      return value;
    case 'Edm.Int64':
      return `${value}L`;
    case 'Edm.Double':
      return /^-?\d/.test(value) ? `${value}D` : value.replace('Infinity', 'INF');
    case 'Edm.DateTime':
      return `datetime'${value}'`;
    case 'Edm.Guid':
      return `guid'${value}'`;
    case 'Edm.Binary':
      return `X'${value}'`;
  }
}
