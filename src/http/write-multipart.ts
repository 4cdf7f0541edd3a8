import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Answer, Prefer } from '../operations/operation.js';
import type { MetadataLevel } from '../protocol/edm.js';
import type { TableError } from '../protocol/errors.js';
import { jsonType } from './write-answer.js';
import { writeErrorJson } from './write-error.js';

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

/**
 * Writes what an operation of a batch answers. `contentId` is that of the inner request's own headers.
 *
 * The order of the headers is the recorded one. Source: batch, section 3.
 */
export function writePart(answer: Answer, level: MetadataLevel, contentId: string | undefined): PartText {
  const own = contentId === undefined ? [] : [`Content-ID: ${contentId}`];
  const base = ['X-Content-Type-Options: nosniff', 'Cache-Control: no-cache'];
  const preference = answer.preferenceApplied === undefined ? [] : [`Preference-Applied: ${answer.preferenceApplied}`];
  const links = [];
  if (answer.location !== undefined) links.push(`Location: ${answer.location}`);
  if (answer.dataServiceId !== undefined) links.push(`DataServiceId: ${answer.dataServiceId}`);
  if (answer.etag !== undefined) links.push(`ETag: ${answer.etag}`);
  for (const [name, value] of Object.entries(answer.continuation ?? {})) links.push(`${name}: ${value}`);
  if (answer.json === undefined) {
    const dataServiceVersion = `DataServiceVersion: ${answer.preferenceApplied === undefined ? '1.0' : '3.0'};`;
    return writeHttp(answer.status, [...own, ...base, ...preference, dataServiceVersion, ...links], '');
  }
  const json = typeof answer.json === 'string' ? answer.json : answer.json.takeText();
  const payload = ['DataServiceVersion: 3.0;', `Content-Type: ${jsonType(level)}`];
  return writeHttp(answer.status, [...payload, ...own, ...base, ...preference, ...links], json);
}

/** What an error part says beside the error itself: that of the operation at fault. */
export interface FailedPart {
  readonly level: MetadataLevel;
  readonly prefer: Prefer | undefined;
  readonly contentId: string | undefined;
}

/** Writes the one part that a failed batch answers with. `text` is the whole error text. */
export function writeErrorPart(error: TableError, text: string, { level, prefer, contentId }: FailedPart): PartText {
  const headers = contentId === undefined ? [] : [`Content-ID: ${contentId}`];
  headers.push('X-Content-Type-Options: nosniff');
  if (error.clothes === 'engine') {
    headers.push('Cache-Control: no-cache');
    if (prefer !== undefined) headers.push(`Preference-Applied: ${prefer}`);
  }
  headers.push('DataServiceVersion: 3.0;', `Content-Type: ${jsonType(level)}`);
  return writeHttp(error.status, headers, writeErrorJson(error.code, text));
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
