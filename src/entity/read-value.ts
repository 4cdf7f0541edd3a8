import { readDateTime } from '../protocol/date-time.js';
import { type EdmType, isEdmType } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import { readGuid } from '../protocol/guid.js';
import { int32Max, int32Min, int64Max, int64Min } from '../protocol/limits.js';
import { lowerAscii } from '../protocol/names.js';
import { writeDouble } from './double-text.js';
import type { Property } from './entity.js';
import { readJsonString, writeJsonString } from './json-text.js';
import type { JsonToken } from './read-json.js';

type Scalar = Exclude<JsonToken, { kind: 'null' } | { kind: 'nested' }>;

const integer = /^-?\d+$/;
/** Values that match these patterns are canonical and are stored as sent, without parsing. */
const canonicalInt64 = /^"(?:0|-?[1-9]\d{0,17})"$/;
const canonicalGuid = /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/;

/**
 * Converts one value of a request's JSON to its canonical form. `annotated` is the text of its `@odata.type`, if any.
 *
 * Errors: InvalidInput if the value does not match the type; OutOfRangeInput for a DateTime before 1601.
 * Source: data-model 3.2; data-model 3.4.
 */
export function readValue(name: string, token: Scalar, annotated: string | undefined): Property {
  const type = annotated === undefined ? inferType(token) : annotated;
  if (!isEdmType(type)) throw unreadable();
  const { json, valueBytes } = readers[type](token, name);
  return { name, type, json, valueBytes };
}

/**
 * Returns the type of a value without annotation. A string is always Edm.String, even if it looks like a date or a
 * Guid.
 */
function inferType(token: Scalar): EdmType {
  if (token.kind === 'string') return 'Edm.String';
  if (token.kind === 'boolean') return 'Edm.Boolean';
  return isInt32(token.json) ? 'Edm.Int32' : 'Edm.Double';
}

function isInt32(text: string): boolean {
  return integer.test(text) && Number(text) >= int32Min && Number(text) <= int32Max;
}

interface Read {
  readonly json: string;
  readonly valueBytes: number;
}

const readers: Record<EdmType, (token: Scalar, name: string) => Read> = {
  'Edm.String': (token) => {
    if (token.kind !== 'string') throw unreadable();
    const text = readJsonString(token.json);
    return { json: writeJsonString(text), valueBytes: 2 * text.length + 4 };
  },

  'Edm.Boolean': (token) => {
    const text = lowerAscii(scalarText(token));
    if (token.kind === 'number' || (text !== 'true' && text !== 'false')) throw unreadable();
    return { json: text, valueBytes: 1 };
  },

  'Edm.Int32': (token) => {
    const text = scalarText(token).trim();
    if (token.kind === 'boolean' || !isInt32(text)) throw unreadable();
    // -0 is stored as 0.
    return { json: String(Number(text) || 0), valueBytes: 4 };
  },

  'Edm.Int64': (token) => {
    if (token.kind === 'string' && canonicalInt64.test(token.json)) return { json: token.json, valueBytes: 8 };
    const text = scalarText(token).trim();
    if (token.kind === 'boolean' || !integer.test(text) || text.length > 64) throw unreadable();
    // A JSON number must fit into Int32: most clients lose digits of larger ones.
    if (token.kind === 'number' && !isInt32(text)) throw unreadable();
    const value = BigInt(text);
    if (value < int64Min || value > int64Max) throw unreadable();
    return { json: `"${value}"`, valueBytes: 8 };
  },

  'Edm.Double': (token) => {
    const text = scalarText(token).trim();
    if (token.kind === 'string' && /^(?:NaN|-?Infinity|-?INF)$/.test(text)) {
      return { json: `"${text.replace(/INF$/, 'Infinity')}"`, valueBytes: 8 };
    }
    if (token.kind === 'boolean' || !/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) throw unreadable();
    const value = Number(text);
    if (!Number.isFinite(value)) throw unreadable();
    return { json: writeDouble(value), valueBytes: 8 };
  },

  'Edm.DateTime': (token, name) => {
    const reading = readDateTime(stringOf(token));
    if ('text' in reading) return { json: `"${reading.text}"`, valueBytes: 8 };
    if (reading.fault === 'unreadable') throw unreadable();
    throw new TableError('OutOfRangeInput', {
      variant: { name: 'value-out-of-range', property: name, value: reading.printed },
    });
  },

  'Edm.Guid': (token) => {
    if (token.kind === 'string' && canonicalGuid.test(token.json)) return { json: token.json, valueBytes: 16 };
    const guid = readGuid(stringOf(token));
    if (guid === undefined) throw unreadable();
    return { json: `"${guid}"`, valueBytes: 16 };
  },

  'Edm.Binary': (token) => {
    const text = stringOf(token).replace(/[ \t\r\n]/g, '');
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw unreadable();
    const bytes = Buffer.from(text, 'base64');
    return { json: `"${bytes.toString('base64')}"`, valueBytes: bytes.length + 4 };
  },
};

function scalarText(token: Scalar): string {
  return token.kind === 'string' ? readJsonString(token.json) : token.json;
}

function stringOf(token: Scalar): string {
  if (token.kind !== 'string') throw unreadable();
  return readJsonString(token.json);
}

function unreadable(): TableError {
  return new TableError('InvalidInput', { variant: { name: 'value-unreadable' } });
}
