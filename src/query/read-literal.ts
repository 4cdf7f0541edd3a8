import { readDateTime } from '../protocol/date-time.js';
import { TableError } from '../protocol/errors.js';
import { readGuid } from '../protocol/guid.js';
import { int32Max, int32Min, int64Max, int64Min } from '../protocol/limits.js';
import { lowerAscii } from '../protocol/names.js';
import type { Literal } from './filter.js';
import type { LiteralNode } from './syntax-node.js';

const int64DigitsMax = String(int64Max).length;

const hex = /^(?:[0-9a-f]{2})*$/;

/**
 * A literal with its type, normalised as filter.ts says. `null` has no type: the caller has refused it.
 *
 * Errors: InvalidInput for a typed literal that does not hold its type, OutOfRangeInput for a date before 1601.
 * Source: queries, section 3.
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

/** The suffix decides the type. Without one, digits alone are an Int32, which must hold them; all else is a Double. */
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
  // -0 is an integer too, and zero.
  return { type: 'Edm.Int32', value: String(value || 0) };
}

/** An integer, if Int64 holds it. Counts digits first: a filter may carry thousands of them. */
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
  // Digits that overflow are a mistake; infinity is written INF.
  if (!Number.isFinite(value)) throw unrecognized('Double', node, text);
  return { type: 'Edm.Double', value: String(value) };
}

function unrecognized(type: string, { source, at }: LiteralNode, text: string): TableError {
  return new TableError('InvalidInput', {
    message: `Unrecognized 'Edm.${type}' literal '${source}' at '${at}' in '${text}'.`,
  });
}
