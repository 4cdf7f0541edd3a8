import { TableError } from '../../protocol/errors.js';
import { int32Max, int32Min, int64Max, int64Min } from '../../protocol/limits.js';
import { lowerAscii } from '../../protocol/names.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import { readGuid } from '../../protocol/values/guid.js';
import type { Literal } from './filter.js';
import type { LiteralNode } from './syntax-node.js';

const int64DigitsMax = String(int64Max).length;

const hex = /^(?:[0-9a-f]{2})*$/;

/**
 * Converts a literal to its type and normal form, which `Literal` describes. The caller must have refused `null`, which
 * does not have a type. `text` is the whole filter, which error messages quote.
 *
 * Errors: InvalidInput for a literal that is not valid for its type; OutOfRangeInput for a date before 1601.
 * Source: query 3.
 */
export function readLiteral(node: LiteralNode, text: string): Literal {
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

/**
 * Returns an integer, or undefined if Int64 cannot hold it. Checks the length first, because `BigInt` is slow on long
 * texts.
 */
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
