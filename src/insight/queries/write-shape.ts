import { lowerAscii } from '../../protocol/names.js';
import type { Comparison, Filter } from '../../query/filter/filter.js';

/** Longest shape. Longer ones end in `…`. Unit: UTF-16 code units. (Our choice.) */
export const shapeUnitsMax = 512;

/** Maximum number of operands of one chain in a shape. (Our choice: the first operands represent a long chain.) */
const operandsMax = 16;

/**
 * Returns the text of a filter without its values: `PartitionKey eq ? and Age gt ?Int32`. Filters with the same shape are the same
 * query with other values. Equal operands are written once, followed by `…`.
 */
export function writeShape(filter: Filter | undefined): string {
  const text = filter ? write(filter, false) : '';
  return text.length > shapeUnitsMax ? `${text.slice(0, shapeUnitsMax - 1)}…` : text;
}

function write(filter: Filter, isOperand: boolean): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const joined = joinEqual(filter.operands.map((operand) => write(operand, true))).join(` ${filter.kind} `);
      return isOperand ? `(${joined})` : joined;
    }
    case 'not':
      return `not ${write(filter.operand, true)}`;
    case 'comparison':
      return writeComparison(filter);
    case 'property':
      return filter.name;
    case 'constant':
      return String(filter.value);
  }
}

function writeComparison({ property, operator, literal }: Comparison): string {
  const type = literal.type === 'Edm.String' ? '' : literal.type.slice('Edm.'.length);
  return `${property} ${operator} ?${type}`;
}

/** Writes equal operands once, so that an `or` of two keys and one of two hundred have the same shape. */
function joinEqual(texts: readonly string[]): readonly string[] {
  if (texts.length <= operandsMax && texts.every((text, at) => texts.indexOf(text) === at)) return texts;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const text of texts) (seen.has(text) ? repeated : seen).add(text);
  const unique = [...seen].map((text) => (repeated.has(text) ? `${text}…` : text));
  return unique.length > operandsMax ? [...unique.slice(0, operandsMax), '…'] : unique;
}

/** Returns the shape of a whole query: its table, its filter, and `$select` and `$top` if present. */
export function writeQueryShape(
  table: string,
  filter: Filter | undefined,
  { select, rowsMax }: { readonly select?: string | undefined; readonly rowsMax?: number | undefined },
): string {
  let shape = lowerAscii(table);
  if (filter) shape += ` where ${writeShape(filter)}`;
  if (select !== undefined) shape += ` select ${select.slice(0, shapeUnitsMax)}`;
  if (rowsMax !== undefined) shape += rowsMax === 1 ? ' top 1' : ' top';
  return shape;
}
