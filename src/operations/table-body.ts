import { writeJsonString } from '../entity/json-text.js';
import type { Answer, OperationRequest } from './operation.js';

/** Where a table is found. Its name needs no encoding. */
export function tableUrl(base: string, name: string): string {
  return `${base}/Tables('${name}')`;
}

/** A table as a member of a set or as an answer of its own, at the negotiated level. Source: recordings-facts 2. */
export function writeTableRow({ level, base, account }: OperationRequest, name: string): string {
  const own = `"TableName":${writeJsonString(name)}}`;
  if (level !== 'fullmetadata') return `{${own}`;
  const id = writeJsonString(tableUrl(base, name));
  return `{"odata.type":"${account}.Tables","odata.id":${id},"odata.editLink":"Tables('${name}')",${own}`;
}

/** One table as an answer's body. */
export function writeTableBody(request: OperationRequest, name: string): string {
  const row = writeTableRow(request, name);
  if (request.level === 'nometadata') return row;
  return `{"odata.metadata":${writeJsonString(`${request.base}/$metadata#Tables/@Element`)},${row.slice(1)}`;
}

/** What a new table is answered with. Source: recordings-facts 1. */
export function answerCreated(request: OperationRequest, name: string): Answer {
  const location = tableUrl(request.base, name);
  const applied = request.prefer === undefined ? {} : { preferenceApplied: request.prefer };
  if (request.prefer === 'return-no-content') return { status: 204, location, dataServiceId: location, ...applied };
  return { status: 201, location, json: writeTableBody(request, name), ...applied };
}
