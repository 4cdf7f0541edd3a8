import { nearestName } from '../../nearest-name.js';
import type { TableErrorCode } from '../../protocol/error-codes.js';
import type { TableError } from '../../protocol/errors.js';
import type { Explanation } from '../../protocol/explanation.js';
import { pageRowsMax } from '../../protocol/limits.js';
import { forbiddenKeyCharacter } from '../../protocol/names.js';
import type { BatchFault, RejectionEvidence, SentSize } from '../../protocol/rejection-evidence.js';
import type { EntityLimits } from '../../protocol/service-traits.js';
import { edmTypes, isEdmType } from '../../protocol/values/edm.js';
import { explainFilter } from './filter/explain-filter.js';
import { rejectionWords, wordsOfVariant } from './rejection-words.js';
import { outsideSignedRange } from './signature/explain-signature.js';

/** The advice about characters that keys cannot have. */
export const keyAdvice = 'Keys cannot contain / \\ # ? or control characters. Encode them, for example as base64url.';

/** The missing features of Cosmos DB, in words. Source: cosmos 7; cosmos 14. */
const missingFeatures = {
  patch: {
    text: 'Cosmos DB does not accept the verb PATCH.',
    advice:
      'Send POST with X-HTTP-Method: MERGE. SDKs do this if they recognize a Cosmos DB URL: by the host localhost, and in Go ' +
      'by localhost with port 8902. For 127.0.0.1 they send PATCH.',
  },
  comp: {
    text: 'Cosmos DB has no service properties, no table access policies and no statistics.',
    advice: 'Omit this call for Cosmos DB.',
  },
  'signed-range': {
    text: 'Cosmos DB does not support shared access signatures with a key range.',
    advice: 'Sign the whole table, without spk, srk, epk and erk.',
  },
} as const satisfies Record<string, Pick<Explanation, 'text' | 'advice'>>;

/** Longest value in a text. Unit: UTF-16 code units. (Our choice: it fits on a line.) */
const shownUnitsMax = 64;

/** Explains an error by the values that its check compared, otherwise by the meaning of its code. */
export function explainError(error: TableError): Explanation {
  const { code, variant } = error;
  const evidence = error.evidence();
  const usual = { cause: code, ...rejectionWords[code] };
  if (evidence?.check === 'filter') return explainFilter(evidence.filter, error);
  if (evidence) return { ...usual, ...wordsOf(evidence, code) };
  if (!variant) return usual;
  if (variant.name !== 'value-out-of-range') {
    const words = wordsOfVariant(variant);
    return words ? { cause: variant.name, ...words } : usual;
  }
  const { property, value } = variant;
  const isKey = property === 'PartitionKey' || property === 'RowKey';
  return {
    cause: isKey ? 'key-character' : 'value-out-of-range',
    text: isKey ? wordsOfKey(property, value) : `The property ${property} cannot have the value ${quoted(value)}.`,
    advice: isKey ? keyAdvice : 'Dates must be between 1601 and 9999.',
  };
}

/** Names the first forbidden character of a key and its position. */
function wordsOfKey(key: string, value: string): string {
  const { character, at } = forbiddenKeyCharacter(value) ?? { character: '', at: 0 };
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const shown = /[/\\#?]/.test(character) ? `'${character}'` : `the control character U+${code}`;
  return `The ${key} ${quoted(value)} has ${shown} at position ${at}, which keys cannot contain.`;
}

/** Quotes a value, and shortens a long one. */
function quoted(value: string): string {
  return value.length > shownUnitsMax ? `'${value.slice(0, shownUnitsMax - 1)}…'` : `'${value}'`;
}

function wordsOf(evidence: RejectionEvidence, code: TableErrorCode): Partial<Explanation> {
  switch (evidence.check) {
    case 'entity-size':
      return explainSize(code, evidence);
    case 'signed-range':
      return outsideSignedRange(evidence, 'outside');
    case 'batch':
      return explainBatch(evidence.fault, evidence.value);
    case 'stored-table':
      return { text: `The table ${evidence.table} already exists.` };
    case 'same-row':
      return {
        cause: 'same-entity-twice',
        text: `The operations ${evidence.first} and ${evidence.second} of the transaction, counted from 0, name the entity with the RowKey '${evidence.rowKey}'.`,
      };
    case 'key-character':
      return {
        cause: 'key-character',
        text: wordsOfKey(evidence.key, evidence.value),
        advice: keyAdvice,
      };
    case 'property':
      return { cause: 'property', ...wordsOfProperty(evidence, code) };
    case 'key-type':
      return {
        cause: 'key-type',
        text:
          evidence.type === undefined
            ? `The ${evidence.key} in the body is not a string.`
            : `The ${evidence.key} in the body has the type ${evidence.type}, and keys are strings.`,
        advice: `Send it in quotes, without a type: "${evidence.key}":"5".`,
      };
    case 'annotation':
      return {
        cause: 'property',
        text: `${evidence.property}@odata.type is not a string.`,
        advice: 'Send a type name in quotes, such as "Edm.Int64".',
      };
    case 'member-missing':
      return { cause: 'key-missing', ...wordsOfMissing(evidence) };
    case 'header-value':
      return {
        cause: 'header-value',
        text:
          evidence.value === ''
            ? `The service cannot serve a request without ${evidence.header}.`
            : `The service cannot serve ${evidence.header} with the value ${evidence.value}.`,
        advice: evidence.needs,
      };
    case 'xml-element':
      return wordsOfElement(evidence);
    case 'query-option':
      return wordsOfOption(evidence, code);
    case 'filter-unmatched':
      return {
        cause: 'filter-unmatched',
        text: `The entity exists, but does not match the filter: ${evidence.filter}`,
        advice: 'Omit $filter to read an entity by its keys.',
      };
    case 'header-missing':
      return {
        cause: 'header-missing',
        text: `The operation needs the header ${evidence.header}.`,
        advice: "Send the entity's ETag, or * for any.",
      };
    case 'not-in-service':
      return { cause: `not-in-service-${evidence.feature}`, ...missingFeatures[evidence.feature] };
    case 'obstacle':
      return { cause: 'obstacle', text: evidence.fault };
    case 'fault':
      return {
        cause: 'fault',
        text: `The fault rule ${evidence.rule} caused this response. ${evidence.effect}`,
        advice: 'Delete the rule, or wait until it expires.',
      };
    case 'body-syntax':
      return wordsOfBody(evidence);
    default:
      return {};
  }
}

/** Names missing members, and similar ones in the body, such as `partitionKey`. */
function wordsOfMissing({
  members,
  sent,
}: Extract<RejectionEvidence, { check: 'member-missing' }>): Partial<Explanation> {
  const renamed = members.flatMap((member) => {
    const similar = nearestName(member, sent);
    return similar === undefined ? [] : [`${similar} to ${member}`];
  });
  const send = `Send ${members.length > 1 ? 'both as strings' : 'it as a string'}.`;
  return {
    text: `The body has no ${members.join(' and no ')}.`,
    advice: renamed.length > 0 ? `Rename ${renamed.join(', and ')}.` : send,
  };
}

function wordsOfProperty(
  { property, type, value }: Extract<RejectionEvidence, { check: 'property' }>,
  code: TableErrorCode,
): Partial<Explanation> {
  if (code === 'DuplicatePropertiesSpecified') return { text: `The body has ${property} twice.` };
  if (code === 'PropertyNameInvalid') return { text: `A property cannot have the name '${property}'.` };
  if (type === undefined) {
    return {
      text: `The value of ${property} is a list or an object.`,
      advice: 'Store it as a JSON string, or as several properties.',
    };
  }
  if (!isEdmType(type)) {
    const text = `${property} has the type ${type}, which the service does not support.`;
    return { text, advice: `Use ${edmTypes.slice(0, -1).join(', ')} or ${edmTypes.at(-1)}.` };
  }
  const shown = value === undefined ? '' : ` ${quoted(value)}`;
  return { text: `The value${shown} of ${property} is not a valid ${type}.`, advice: typeAdvice.get(type) ?? '' };
}

function wordsOfElement({
  path,
  fault,
  value,
  needs,
}: Extract<RejectionEvidence, { check: 'xml-element' }>): Partial<Explanation> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (fault === 'value') {
    const text = `The element ${path} cannot have the value '${value}'.`;
    return { cause: 'xml-value', text, advice: needs };
  }
  const problem =
    fault === 'missing' ? `lacks the element ${path}` : `has the element <${name}> where it cannot be: ${path}`;
  return { cause: 'xml-structure', text: `The XML of the body ${problem}.`, advice: needs };
}

/** The JSON form of each type. Source: data-model 3.2. */
const typeAdvice: ReadonlyMap<string, string> = new Map([
  ['Edm.String', 'Send a JSON string.'],
  ['Edm.Boolean', 'Send true or false.'],
  ['Edm.Int32', 'Send a 32-bit integer, or a larger one as Edm.Int64.'],
  ['Edm.Int64', 'Send a 64-bit integer as a string of digits.'],
  ['Edm.Double', "Send a number, or 'NaN', 'Infinity' or '-Infinity' as a string."],
  ['Edm.DateTime', 'Send a string such as 2026-01-31T10:00:00Z.'],
  ['Edm.Guid', 'Send a string such as 12345678-1234-1234-1234-123456789abc.'],
  ['Edm.Binary', 'Send a base64 string, with padding.'],
]);

/** The advice for each query option. */
const optionAdvice: ReadonlyMap<string, string> = new Map([
  ['$top', `Send a whole number from 0 to ${pageRowsMax}, and follow the continuation tokens for more.`],
  ['$select', 'Send property names separated by commas.'],
  ['continuation token', 'Send the tokens from the previous response unchanged, or none.'],
  ['$filter', 'Tables can only be filtered by TableName.'],
  ['$orderby', 'Entities are returned in key order. Sort them in the client.'],
  ['timeout', 'Send a whole number of seconds, at least 1.'],
  ['$skip', 'Follow the continuation tokens instead.'],
  ['$skiptoken', 'Follow the continuation tokens instead.'],
  ['$count', 'Count the entities in the client.'],
  ['$inlinecount', 'Count the entities in the client.'],
  ['$expand', 'Query each table on its own.'],
]);

function wordsOfOption(
  { option, value }: Extract<RejectionEvidence, { check: 'query-option' }>,
  code: TableErrorCode,
): Partial<Explanation> {
  if (option.startsWith('Next')) {
    const text = value === '' ? `${option} is empty.` : `The query has ${option}, but no NextPartitionKey.`;
    return { cause: 'query-option', text, advice: 'Send each token that the previous response has, and no other.' };
  }
  const subject = value === '' ? option : `${option} with the value ${value}`;
  const advice = optionAdvice.get(option);
  return {
    cause: 'query-option',
    text: code === 'NotImplemented' ? `The service does not have ${subject}.` : `The service cannot read ${subject}.`,
    ...(advice !== undefined && { advice }),
  };
}

function wordsOfBody({ format, fault }: Extract<RejectionEvidence, { check: 'body-syntax' }>): Partial<Explanation> {
  const cause = format === 'JSON' ? 'body-not-json' : 'body-not-xml';
  const problem = format === 'JSON' ? 'The body is not one JSON object' : 'The body is not well-formed XML';
  if (!fault) return { cause, text: `${problem}.` };
  const { expected, found, place } = fault;
  const { at, line, column } = place;
  return {
    cause,
    text: `${problem}: at position ${at}, line ${line}, column ${column}, there is ${found}, but ${expected} was expected.`,
    advice: `Fix the body, or generate it with a ${format} library.`,
    at,
    length: 1,
  };
}

/** Explains a fault in the envelope of a transaction, or in the address of an operation. */
function explainBatch(fault: BatchFault, value: string): Explanation {
  const [text, advice] = words[fault];
  return { cause: `batch-${fault}`, text: text(value), advice };
}

/** The meaning of each fault, and the fix. */
const words: Readonly<Record<BatchFault, readonly [text: (value: string) => string, advice: string]>> = {
  boundary: [
    (type) => (type === '' ? 'The batch has no Content-Type.' : `The Content-Type ${type} does not name a boundary.`),
    'Send Content-Type: multipart/mixed; boundary=…, with the boundary that the body uses.',
  ],
  queries: [() => 'A batch can have one query, and this one has more.', 'Send each query as a request, in parallel.'],
  'change-set': [
    () => 'The operations are not in a change set.',
    'Put all of them into one part of the type multipart/mixed, with a boundary of its own.',
  ],
  'change-sets': [
    () => 'A batch can have one change set, and this one has more.',
    'Send each change set as a request.',
  ],
  'change-set-boundary': [
    (boundary) => `The boundary ${boundary} is not in the body.`,
    'Start each operation with two dashes and the boundary that the Content-Type of the change set names.',
  ],
  cut: [
    (boundary) => `The body ends before the boundary ${boundary}.`,
    'End the last part with two dashes, the boundary and two dashes, and check Content-Length.',
  ],
  query: [
    () => 'A change set has only writes, and the operation is a read.',
    'Read entities with requests of their own, or send one query in a batch without a change set.',
  ],
  account: [
    (url) => `The URL ${url} does not name a table of the account of the batch.`,
    'Use the same endpoint for the operations as for the batch, and one segment after it.',
  ],
};

type EntitySize = Extract<RejectionEvidence, { check: 'entity-size' }>;

/** Names the part of an entity that is too large, and its limit in the account's service. */
function explainSize(code: TableErrorCode, { bytes, count, properties, traits }: EntitySize): Partial<Explanation> {
  const details = properties.map((one) => ({ name: one.name, value: `${one.bytes} bytes` }));
  const [first] = properties;
  const { limits, propertyOrder } = traits;
  switch (code) {
    case 'TooManyProperties': {
      // A service that keeps the order of properties counts both keys among them.
      const max = propertyOrder === 'written' ? limits.properties - 2 : limits.properties;
      const sent = count > max ? '' : ', and with those already stored there are more';
      return {
        cause: 'too-many-properties',
        text: `The request has ${count} properties${sent}; ${max} are allowed, besides the keys.`,
      };
    }
    case 'PropertyNameTooLong':
      return {
        cause: 'property-name-too-long',
        text: `The name ${first?.name ?? ''} has ${first?.name.length ?? 0} characters; ${limits.nameUnits} are allowed.`,
      };
    case 'PropertyValueTooLarge':
      return { cause: 'entity-size', text: first ? explainValue(first, limits) : '', details };
    default: {
      const largest = first ? ` The largest property, ${first.name}, has ${first.bytes} bytes.` : '';
      const text = `The sent properties have ${bytes} bytes together; an entity may have ${limits.bytes}.${largest}`;
      return { cause: 'entity-size', text, details };
    }
  }
}

function explainValue({ name, type, bytes }: SentSize, limits: EntityLimits): string {
  if (type === undefined) {
    const units = name === 'PartitionKey' ? limits.partitionKeyUnits : limits.rowKeyUnits;
    return `The ${name} has ${bytes} bytes; ${2 * units} (${units} characters) are allowed.`;
  }
  // The formula of the service adds four bytes for the length.
  const value = bytes - 4;
  const max =
    type === 'Edm.String' ? `${2 * limits.stringUnits} (${limits.stringUnits} characters)` : limits.binaryBytes;
  return `The property ${name} has ${value} bytes; ${max} are allowed.`;
}
