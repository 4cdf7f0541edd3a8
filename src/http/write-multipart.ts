import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Dialect, FailedTransaction, PartFacts } from '../dialects/dialect.js';
import type { Answer } from '../operations/operation.js';
import type { TableError } from '../protocol/errors.js';

const end = '\r\n';

/** One part of a batch's answer: status line, headers and body. */
export interface PartText {
  readonly text: string;
  /** Its body, if it has one; a part without is followed by a blank line more. */
  readonly body: string;
}

/** A batch's answer. */
export interface Multipart {
  readonly contentType: string;
  readonly body: string;
}

/** Writes what an operation of a batch answers. */
export function writePart(dialect: Dialect, answer: Answer, part: PartFacts): PartText {
  const { json } = answer;
  if (json === undefined) return writeHttp(answer.status, dialect.partHeaders(part, undefined, answer), '');
  const headers = dialect.partHeaders(part, dialect.jsonType(part.level), answer);
  return writeHttp(answer.status, headers, typeof json === 'string' ? json : json.takeText());
}

/** Writes the one part that a failed batch answers with. */
export function writeErrorPart(dialect: Dialect, error: TableError, failed: FailedTransaction): PartText {
  const { status, headers, body } = dialect.writeErrorPart(error, failed, new Date());
  return writeHttp(status, headers, body);
}

function writeHttp(status: number, headers: readonly string[], body: string): PartText {
  const text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}${end}${headers.join(end)}${end}${end}`;
  return { text, body };
}

/** Puts parts into an answer: in a change set, or, for a query, directly. */
export function writeMultipart(parts: readonly PartText[], inChangeSet: boolean): Multipart {
  const batch = `batchresponse_${randomUUID()}`;
  const contentType = `multipart/mixed; boundary=${batch}`;
  if (!inChangeSet) return { contentType, body: writeParts(parts, batch) };
  const changeSet = `changesetresponse_${randomUUID()}`;
  const inner = `Content-Type: multipart/mixed; boundary=${changeSet}${end}${end}${writeParts(parts, changeSet)}`;
  return { contentType, body: `--${batch}${end}${inner}--${batch}--${end}` };
}

function writeParts(parts: readonly PartText[], boundary: string): string {
  let text = '';
  for (const part of parts) {
    text += `--${boundary}${end}Content-Type: application/http${end}Content-Transfer-Encoding: binary${end}${end}`;
    text += part.text + part.body + end;
  }
  return `${text}--${boundary}--${end}`;
}
