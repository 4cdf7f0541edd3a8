import type { Filter, Literal } from '../../src/query/filter.js';

/** Writes a filter like a client, with parentheses around every operand with an operator. */
export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.map(printOperand).join(` ${filter.kind} `);
    case 'not':
      return `not ${printOperand(filter.operand)}`;
    case 'comparison':
      return `${filter.property} ${filter.operator} ${printLiteral(filter.literal)}`;
    case 'property':
      return filter.name;
    case 'constant':
      return String(filter.value);
  }
}

function printOperand(filter: Filter): string {
  return filter.kind === 'property' || filter.kind === 'constant' ? printFilter(filter) : `(${printFilter(filter)})`;
}

/** Writes a literal with an unambiguous type. */
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
