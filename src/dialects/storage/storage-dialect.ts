import { namesTable, readRepeatedTable } from '../../address/parse-address.js';
import { splitSegment } from '../../address/read-keys.js';
import type { NestedPath, Resource } from '../../address/resource.js';
import { openJson } from '../../formats/open-body.js';
import type { Prefer } from '../../formats/representation.js';
import type { Answer } from '../../operations/answer.js';
import { TableError } from '../../protocol/errors.js';
import { transactionOperationsMax } from '../../protocol/limits.js';
import { storageTraits } from '../../protocol/service-traits.js';
import type { Dialect, FailedTransaction, PartFacts, RequestFacts, WrittenPart } from '../dialect.js';
import type { NestedRequest, RequestRules, UnservedPath } from '../request-rules.js';
import {
  type DescribedAnswer,
  describeAnswer,
  writeAnswer,
  writePreflightHead,
  writeTransactionHead,
} from './describe-answer.js';
import { describeError } from './describe-error.js';
import { answerType, errorType } from './headers.js';
import { operationRules } from './operation-rules.js';
import { errorText, writeError, writeODataBody } from './write-error.js';

function writePart(answer: Answer, part: PartFacts, facts: RequestFacts): WrittenPart {
  const described = describeAnswer(answer, part.representation, facts);
  return { status: described.status, headers: partHeaders(part, described), body: described.body };
}

/**
 * Returns the header lines of one part, in the recorded order. Joined in few steps, because a transaction has up to a hundred
 * parts. Source: batch 3; atom 5.
 */
function partHeaders({ representation, contentId }: PartFacts, described: DescribedAnswer): string {
  const { body, preferenceApplied, location, dataServiceId, etag, continuation } = described;
  let headers = contentId === undefined ? '' : `Content-ID: ${contentId}\r\n`;
  if (body === undefined) headers += emptyPart[preferenceApplied ?? 'none'];
  else {
    const version = representation.level === 'atom' ? '2.0' : '3.0';
    const type = answerType(representation, described);
    const prefer = preferenceApplied === undefined ? '' : `Preference-Applied: ${preferenceApplied}\r\n`;
    headers = `DataServiceVersion: ${version};\r\nContent-Type: ${type}\r\n${headers}${everyPart}${prefer}`;
  }
  if (location !== undefined) headers += `Location: ${location}\r\n`;
  if (dataServiceId !== undefined) headers += `DataServiceId: ${dataServiceId}\r\n`;
  if (etag !== undefined) headers += `ETag: ${etag}\r\n`;
  if (continuation === undefined) return headers;
  for (let at = 0; at < continuation.length; at += 2) headers += `${continuation[at]}: ${continuation[at + 1]}\r\n`;
  return headers;
}

const everyPart = 'X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n';

/** The headers of all parts without a body, by the applied preference. */
const emptyPart: Readonly<Record<Prefer | 'none', string>> = {
  none: `${everyPart}DataServiceVersion: 1.0;\r\n`,
  'return-no-content': `${everyPart}Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n`,
  'return-content': `${everyPart}Preference-Applied: return-content\r\nDataServiceVersion: 3.0;\r\n`,
};

/**
 * Writes the single part that answers a failed transaction. The message begins with the position of the operation at fault,
 * except for an error of the engine in a change set with one operation, because the service executes that like a separate
 * request once it knows the partition. An empty operation has no position and no `X-Content-Type-Options` either.
 *
 * Source: batch 3; batch 4.
 */
function writeErrorPart(
  error: TableError,
  { isSingle, part, laterPrefer }: FailedTransaction,
  { requestId }: Pick<RequestFacts, 'requestId'>,
  now: Date,
): WrittenPart {
  const { status, message, format: single, partFormat: format = single } = describeError(error);
  const isFound = error.variant?.name !== 'operation-empty';
  const isNumbered = isFound && (format !== 'engine' || !isSingle || error.variant?.name === 'partition-key-missing');
  const text = errorText(isNumbered ? `${error.at ?? 0}:${message}` : message, requestId, now);
  const prefer = laterPrefer ?? (format === 'engine' ? part.representation.prefer : undefined);
  let headers = part.contentId === undefined ? '' : `Content-ID: ${part.contentId}\r\n`;
  if (isFound) headers += 'X-Content-Type-Options: nosniff\r\n';
  if (format === 'engine' || prefer !== undefined) headers += 'Cache-Control: no-cache\r\n';
  if (prefer !== undefined) headers += `Preference-Applied: ${prefer}\r\n`;
  const version = part.representation.level === 'atom' ? '1.0' : '3.0';
  headers += `DataServiceVersion: ${version};\r\nContent-Type: ${errorType(part.representation)}\r\n`;
  return { status, headers, body: writeODataBody(error.code, text, part.representation) };
}

/** The rules of storage accounts for requests. Source: operations 2; batch 4. */
const requestRules: RequestRules = {
  isVersioned: true,
  speaksAtom: true,
  checkTarget,
  checkPath: () => {},
  hasReadOnlySecondary: true,
  rejectionOfComp: () => undefined,
  acceptFirst: false,
  upsertsNegotiate: false,
  takesPatch: true,
  hasSignedRanges: true,
  hasTableRoles: true,
  hasCors: true,
  hasDefaultAccount: false,
  operationsMax: transactionOperationsMax,
  answersEmptyBatches: true,
  countsParts: false,
  rejectingTransactions: new Set(),
  readNestedPath,
  openJson,
};

/** Matches a target whose path has a control character of ASCII or one of five of Latin-1, percent-encoded. Source: operations 4.4. */
const controlCharacter = /^[^?]*?%(?:[01][0-9a-f]|7f|c2%(?:81|8d|8f|90|9d))/i;

/** Checks that the web server in front of the service lets a target through. Errors: InvalidUri. */
function checkTarget(target: string): void {
  if (!controlCharacter.test(target)) return;
  const hasNul = /^[^?]*?%00/.test(target);
  throw new TableError('InvalidUri', { variant: { name: 'path-control-character', hasNul } });
}

/**
 * Returns the resource of a path of two segments, whose first names the table. A POST inserts into that table, whatever the
 * second segment is, and a GET is not implemented. One key alone is an error, because entities have two.
 *
 * Errors: InvalidInput for malformed keys; ResourceNotFound for any other path. Source: operations 1.2.
 */
export function readNestedPath(path: NestedPath, { account, method }: NestedRequest): Resource | UnservedPath {
  const [table = '', last = '', ...more] = path.segments;
  if (more.length > 0 || !namesTable(table)) throw new TableError('ResourceNotFound');
  const { name, keys = [] } = splitSegment(last);
  if (keys.length === 1) {
    const variant = { name: 'key-count', resource: `${account}.${table}` } as const;
    return { kind: 'unserved', table, fault: new TableError('InvalidInput', { variant }) };
  }
  if (method === 'GET' && name !== '') return { kind: 'unserved', table, fault: new TableError('NotImplemented') };
  const repeated = readRepeatedTable(path);
  if (repeated) return repeated;
  if (method === 'POST' && keys.length === 0) return { kind: 'entities', table };
  throw new TableError('ResourceNotFound');
}

/** The dialect of the Table service of storage accounts. */
export const storageDialect: Dialect = {
  name: 'storage',
  traits: storageTraits,
  requests: requestRules,
  operations: operationRules,
  multipart: { ofParts: '\r\n', afterChangeSet: '\r\n' },
  writeAnswer,
  writeTransactionHead,
  writePreflightHead,
  writeError,
  writePart,
  writeErrorPart,
};
