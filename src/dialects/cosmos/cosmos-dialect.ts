import type { Answer } from '../../operations/answer.js';
import type { OperationRules } from '../../operations/operation-rules.js';
import { TableError } from '../../protocol/errors.js';
import type { Comparison, Filter } from '../../query/filter/filter.js';
import { invalidOption } from '../../query/query-options.js';
import type { Dialect, PartFacts, RequestFacts, WrittenPart } from '../dialect.js';
import { describeCosmosError } from './error-catalogue.js';
import { requestRules } from './request-rules.js';
import { arrangeTables, readEntityStart, readTableStart, tablePlace } from './tokens.js';
import { cosmosTraits } from './traits.js';
import { describeAnswer, jsonType, writeAnswer, writePreflightHead, writeTransactionHead } from './write-answer.js';
import { writeError, writeErrorBody } from './write-error.js';

/** Writes the answer of one operation of a transaction. Source: cosmos 6. */
function writePart(answer: Answer, { representation, contentId }: PartFacts, facts: RequestFacts): WrittenPart {
  const described = describeAnswer(answer, representation, facts);
  const { status, body, contentType, etag, preferenceApplied, location, continuation = [] } = described;
  let headers = etag === undefined ? '' : `ETag: ${etag}\r\n`;
  if (contentType !== undefined) headers += `Content-Type: ${contentType}\r\n`;
  if (preferenceApplied !== undefined) headers += `Preference-Applied: ${preferenceApplied}\r\n`;
  // In the answer of an operation, a percent sign of a key is encoded twice. Source: cosmos 15.12.
  if (location !== undefined) headers += `Location: ${location.replaceAll('%25', '%2525')}\r\n`;
  for (let at = 0; at < continuation.length; at += 2) headers += `${continuation[at]}: ${continuation[at + 1]}\r\n`;
  if (contentId !== undefined) headers += `Content-ID: ${contentId}\r\n`;
  return { status, headers, body };
}

/**
 * Writes the single part that answers a failed transaction. The message begins with the position of the operation at fault,
 * unless the table is missing. Source: cosmos 6.
 */
function writeErrorPart(error: TableError, { requestId }: Pick<RequestFacts, 'requestId'>): WrittenPart {
  const described = describeCosmosError(error);
  const isNumbered = error.code !== 'TableNotFound';
  // A script fails as a whole. Source: cosmos 15.20.
  const isScript = error.variant?.name === 'partition-keys';
  const form = isScript ? { prefix: '0:' } : isNumbered ? { prefix: `${error.at ?? 0}:`, feeds: '\n\n' } : {};
  return {
    status: described.status,
    headers: `Content-Type: ${jsonType('fullmetadata')}\r\n`,
    body: writeErrorBody(described, requestId, form),
  };
}

/** The rules of Cosmos DB for operations. Source: cosmos 4; cosmos 6; cosmos 8; cosmos 13. */
const operationRules: OperationRules = {
  adaptFilter: matchStrings,
  // Source: cosmos 15.8.
  selectsBlanks: true,
  readTop,
  tablePlace,
  arrangeTables,
  foldTableName: (name) => name,
  readEntityStart,
  readTableStart,
  checkTableName,
  // An invalid name is like that of any missing table.
  checkAddressedTable: () => {},
  hasEmptyKeys: false,
  // Only inserts are checked: two merges of one entity are applied in sequence.
  mayRepeat: ({ kind }) => kind !== 'insert',
};

/** Parses `$top`, which may be above 1000. Errors: InvalidInput. Source: cosmos 13. */
function readTop(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw invalidOption('$top', text);
  return Number(text);
}

/** Maximum length of a table name. Unit: UTF-16 code units. Source: cosmos 15.11. */
const tableNameUnitsMax = 254;

/** Characters that are invalid in resource names, and a final space. Source: cosmos 13. */
const forbiddenInName = /[/\\#?\u0000-\u001f\u007f-\u009f]| $/;

/** Checks the name of a new table, in any alphabet. Errors: InvalidResourceName, InvalidInput, OutOfRangeInput. Source: cosmos 15.11. */
function checkTableName(name: string): void {
  if (name === '') throw new TableError('InvalidResourceName');
  const [character] = forbiddenInName.exec(name) ?? [];
  if (character !== undefined) {
    throw new TableError('InvalidInput', { variant: { name: 'table-name-character', character } });
  }
  if (name.length > tableNameUnitsMax) {
    throw new TableError('OutOfRangeInput', { variant: { name: 'table-name-too-long', table: name } });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns a filter in which every comparison with a binary literal also compares with the string of the same bytes. Keys are
 * strings, so a key is found by its range. Source: cosmos 15.7.
 */
export function matchStrings(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.some(hasBinary) ? { ...filter, operands: filter.operands.map(matchStrings) } : filter;
    case 'not':
      return hasBinary(filter.operand) ? { ...filter, operand: matchStrings(filter.operand) } : filter;
    case 'comparison':
      return filter.literal.type === 'Edm.Binary' ? compareBoth(filter) : filter;
    case 'property':
    case 'constant':
      return filter;
  }
}

function hasBinary(filter: Filter): boolean {
  if (filter.kind === 'comparison') return filter.literal.type === 'Edm.Binary';
  if (filter.kind === 'not') return hasBinary(filter.operand);
  return 'operands' in filter && filter.operands.some(hasBinary);
}

/** Values of other types satisfy `ne`, `lt` and `le`, so with these operators both comparisons must be true. */
function compareBoth(binary: Comparison): Filter {
  const text = textOf(binary.literal.value);
  if (text === undefined) return binary;
  const string: Comparison = { ...binary, literal: { type: 'Edm.String', value: text } };
  if (binary.property === 'PartitionKey' || binary.property === 'RowKey') return string;
  const isStrict = binary.operator === 'eq' || binary.operator === 'gt' || binary.operator === 'ge';
  return { kind: isStrict ? 'or' : 'and', operands: [binary, string] };
}

/** Decodes bytes in hex; undefined if they are not UTF-8. */
function textOf(hex: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(hex, 'hex'));
  } catch {
    return undefined;
  }
}

/** The dialect of Azure Cosmos DB for Table. */
export const cosmosDialect: Dialect = {
  name: 'cosmos',
  traits: cosmosTraits,
  requests: requestRules,
  operations: operationRules,
  multipart: { ofParts: '\n', afterChangeSet: '\n' },
  writeAnswer,
  writeTransactionHead,
  writePreflightHead,
  writeError,
  writePart,
  writeErrorPart: (error, _failed, facts) => writeErrorPart(error, facts),
};
