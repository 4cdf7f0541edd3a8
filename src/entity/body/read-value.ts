import { readDateTime } from '../../protocol/date-time.js';
import { type EdmType, isEdmType } from '../../protocol/edm.js';
import { TableError } from '../../protocol/errors.js';
import { readGuid } from '../../protocol/guid.js';
import { int32Max, int32Min, int64Max, int64Min } from '../../protocol/limits.js';
import { lowerAscii } from '../../protocol/names.js';
import { writeDouble } from '../stored/double-text.js';
import type { Property } from '../stored/entity.js';
import { readJsonString, writeJsonString } from '../stored/json-text.js';
import { canonicalPattern } from '../stored/value-forms.js';
import type { JsonToken } from './read-json.js';

type Scalar = Exclude<JsonToken, { kind: 'null' } | { kind: 'nested' }>;

const integer = /^-?\d+$/;
const canonicalString = canonicalPattern('Edm.String');
const canonicalInt32 = canonicalPattern('Edm.Int32');
const canonicalInt64 = canonicalPattern('Edm.Int64');
const canonicalGuid = canonicalPattern('Edm.Guid');

/**
 * Converts one value of a request's JSON to its canonical form. `annotated` is the text of its `@odata.type`, if any.
 *
 * A string of more than `stringUnitsMax` UTF-16 units keeps the text that was sent, with its exact size: the service is going to reject
 * it for that, and encoding megabytes of it would take long.
 *
 * Errors: InvalidInput if the value does not match the type; OutOfRangeInput for a DateTime before 1601.
 * Source: data-model 3.2; data-model 3.4.
 */
export function readValue(
  name: string,
  token: Scalar,
  annotated: string | undefined,
  stringUnitsMax = Number.POSITIVE_INFINITY,
): Property {
  const type = annotated === undefined ? inferType(token) : annotated;
  if (!isEdmType(type)) throw unreadable(name, type);
  const { json, valueBytes } = readers[type](token, name, stringUnitsMax);
  return { name, type, json, valueBytes };
}

/**
 * Returns the type of a value without annotation. A string is always Edm.String, even if it looks like a date or a
 * Guid.
 */
function inferType(token: Scalar): EdmType {
  if (token.kind === 'string') return 'Edm.String';
  if (token.kind === 'boolean') return 'Edm.Boolean';
  return canonicalInt32.test(token.json) || isInt32(token.json) ? 'Edm.Int32' : 'Edm.Double';
}

function isInt32(text: string): boolean {
  return integer.test(text) && Number(text) >= int32Min && Number(text) <= int32Max;
}

interface Read {
  readonly json: string;
  readonly valueBytes: number;
}

const readers: Record<EdmType, (token: Scalar, name: string, stringUnitsMax: number) => Read> = {
  'Edm.String': (token, name, stringUnitsMax) => {
    if (token.kind !== 'string') throw unreadable(name, 'Edm.String');
    // The four bytes of the length, without the two quotes.
    if (canonicalString.test(token.json)) return { json: token.json, valueBytes: 2 * token.json.length };
    const text = readJsonString(token.json);
    const json = text.length > stringUnitsMax ? token.json : writeJsonString(text);
    return { json, valueBytes: 2 * text.length + 4 };
  },

  'Edm.Boolean': (token, name) => {
    const text = lowerAscii(scalarText(token));
    if (text !== 'true' && text !== 'false') throw unreadable(name, 'Edm.Boolean');
    return { json: text, valueBytes: 1 };
  },

  'Edm.Int32': (token, name) => {
    if (canonicalInt32.test(token.json)) return { json: token.json, valueBytes: 4 };
    const text = scalarText(token).trim();
    if (!isInt32(text)) throw unreadable(name, 'Edm.Int32');
    // -0 is stored as 0.
    return { json: String(Number(text) || 0), valueBytes: 4 };
  },

  'Edm.Int64': (token, name) => {
    if (canonicalInt64.test(token.json)) return { json: token.json, valueBytes: 8 };
    const text = scalarText(token).trim();
    if (!integer.test(text) || text.length > 64) throw unreadable(name, 'Edm.Int64');
    // A JSON number must fit into Int32: most clients lose digits of larger ones.
    if (token.kind === 'number' && !isInt32(text)) throw unreadable(name, 'Edm.Int64');
    const value = BigInt(text);
    if (value < int64Min || value > int64Max) throw unreadable(name, 'Edm.Int64');
    return { json: `"${value}"`, valueBytes: 8 };
  },

  'Edm.Double': (token, name) => {
    const text = scalarText(token).trim();
    if (/^(?:NaN|-?Infinity|-?INF)$/.test(text)) {
      return { json: `"${text.replace(/INF$/, 'Infinity')}"`, valueBytes: 8 };
    }
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) throw unreadable(name, 'Edm.Double');
    const value = Number(text);
    if (!Number.isFinite(value)) throw unreadable(name, 'Edm.Double');
    return { json: writeDouble(value), valueBytes: 8 };
  },

  'Edm.DateTime': (token, name) => {
    const sent = stringOf(token, name, 'Edm.DateTime');
    const reading = readDateTime(sent);
    if ('text' in reading) {
      const isCanonical = reading.text === sent && token.json.length === sent.length + 2;
      return { json: isCanonical ? token.json : `"${reading.text}"`, valueBytes: 8 };
    }
    if (reading.fault === 'unreadable') throw unreadable(name, 'Edm.DateTime');
    throw new TableError('OutOfRangeInput', {
      variant: { name: 'value-out-of-range', property: name, value: reading.printed },
    });
  },

  'Edm.Guid': (token, name) => {
    if (canonicalGuid.test(token.json)) return { json: token.json, valueBytes: 16 };
    const guid = readGuid(stringOf(token, name, 'Edm.Guid'));
    if (guid === undefined) throw unreadable(name, 'Edm.Guid');
    return { json: `"${guid}"`, valueBytes: 16 };
  },

  'Edm.Binary': (token, name) => {
    const text = stringOf(token, name, 'Edm.Binary').replace(/[ \t\r\n]/g, '');
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw unreadable(name, 'Edm.Binary');
    const bytes = Buffer.from(text, 'base64');
    return { json: `"${bytes.toString('base64')}"`, valueBytes: bytes.length + 4 };
  },
};

function scalarText(token: Scalar): string {
  return token.kind === 'string' ? readJsonString(token.json) : token.json;
}

function stringOf(token: Scalar, name: string, type: EdmType): string {
  if (token.kind !== 'string') throw unreadable(name, type);
  return readJsonString(token.json);
}

function unreadable(property: string, type: string): TableError {
  return new TableError('InvalidInput', {
    variant: { name: 'value-unreadable' },
    evidence: () => ({ check: 'property', property, type }),
  });
}
