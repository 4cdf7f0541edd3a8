import { TableError } from '../../protocol/errors.js';
import type { HeaderFields } from '../../protocol/header-fields.js';
import { boundaryLengthMax, headerBytesMax, partHeadersMax } from '../../protocol/limits.js';
import { lowerAscii } from '../../protocol/names.js';
import type { BatchFault } from '../../protocol/rejection-evidence.js';
import type { RequestHead } from '../route.js';

/** One request within a batch. */
export interface BatchPart extends RequestHead {
  /** As sent: absolute, or only a path. */
  readonly url: string;
  readonly body: string;
  /** The headers as sent. */
  readonly fields: string;
}

/** The contents of a batch: nothing, a change set of writes, or one query. An operation may lack a readable request. */
export type Batch =
  | { readonly kind: 'empty' }
  | { readonly kind: 'operation-missing'; readonly at: number }
  | { readonly kind: 'change-set'; readonly parts: readonly BatchPart[] }
  | { readonly kind: 'query'; readonly part: BatchPart };

/**
 * Reads the envelope of an entity group transaction, in every style of clients: either kind of line end, extra blank lines,
 * headers in any case, a boundary directly after the JSON, a missing last line end, a change set without operations.
 *
 * A change set without its end is rejected, because it may be half of a transaction. If a change set has more operations than
 * `operationsMax`, the batch has one more than that.
 * Errors: InvalidInput. Source: batch 1; clients 2.
 */
export function readBatch(body: string, contentType: string | undefined, operationsMax: number): Batch {
  const declared = boundaryOf(contentType);
  // The service finds no operations in a body without the boundary. Source: batch 4.
  if (nextDelimiter(body, `--${declared}`, 0) === undefined) return { kind: 'empty' };
  const parts = splitParts(body, declared, 2);
  const [first] = parts;
  if (first === undefined) throw malformed();
  const { head, content } = splitHead(first);
  const type = readHeaders(head).get('content-type') ?? '';
  const isChangeSet = /^multipart\/mixed\b/i.test(type);
  if (parts.length > 1) throw malformed(isChangeSet ? 'change-sets' : isQuery(content) ? 'queries' : 'change-set');
  if (isChangeSet) {
    // One part more than allowed is enough to reject the transaction.
    const boundary = boundaryOf(type);
    const operations = splitParts(content, boundary, operationsMax + 1, true);
    // One client sends a transaction without operations as a change set with only an end. Source: batch 5.
    if (operations.length === 0 && content.trim() !== `--${boundary}--`) throw malformed();
    const read: BatchPart[] = [];
    const reader = new PartReader();
    for (const operation of operations) {
      const alike = reader.readAlike(operation);
      const part = alike ?? readRequest(reader, operation);
      if (!part) return { kind: 'operation-missing', at: read.length };
      read.push(part);
    }
    return { kind: 'change-set', parts: read };
  }
  const part = new PartReader().read(content, content);
  if (part.method !== 'GET') throw malformed('change-set');
  return { kind: 'query', part };
}

/** Reads an operation of a change set. Returns undefined if it has no request, or one whose length is not a number. Source: batch 4. */
function readRequest(reader: PartReader, operation: string): BatchPart | undefined {
  if (isWithoutRequest(operation)) return undefined;
  const part = reader.read(operation, splitHead(operation).content);
  return hasUnreadableLength(part.fields) ? undefined : part;
}

function hasUnreadableLength(fields: string): boolean {
  const length = /^content-length:([^\n]*)/im.exec(fields)?.[1];
  return length !== undefined && !/^\d*$/.test(length.trim());
}

/** Returns whether a part of a change set has no request: nothing follows its own headers. */
function isWithoutRequest(text: string): boolean {
  return splitHead(text).content.trim() === '' && !/^[A-Z]+ +\S/m.test(text);
}

/** Returns whether a part outside of a change set is a query. */
function isQuery(content: string): boolean {
  return /^\s*GET\s/.test(content);
}

/** Returns the error of an unreadable envelope. `value` is the text at fault, if it is known. */
export function malformed(fault?: BatchFault, value = ''): TableError {
  const evidence = fault && (() => ({ check: 'batch', fault, value }) as const);
  return new TableError('InvalidInput', { variant: { name: 'batch-malformed' }, evidence });
}

/** Returns the boundary in a type, which may be quoted. */
function boundaryOf(contentType: string | undefined): string {
  const type = contentType ?? '';
  const named = /^\s*multipart\/mixed\s*;.*?\bboundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(type);
  const boundary = named?.[1] ?? named?.[2];
  if (boundary === undefined || boundary.length > boundaryLengthMax) throw malformed('boundary', type);
  return boundary;
}

/**
 * Returns the texts between the delimiters, at most `partsMax`. `mayBeEmpty` allows texts of blank lines. Text before the
 * first and after the last delimiter is ignored. The last delimiter may lack its final dashes.
 */
function splitParts(text: string, boundary: string, partsMax: number, mayBeEmpty = false): string[] {
  const parts: string[] = [];
  const dashed = `--${boundary}`;
  let delimiter = nextDelimiter(text, dashed, 0);
  if (delimiter === undefined) throw malformed('change-set-boundary', boundary);
  while (!delimiter.last) {
    const next = nextDelimiter(text, dashed, delimiter.end);
    const part = text.slice(delimiter.end, next?.start);
    if (next === undefined) {
      if (part.trim() === '' && parts.length > 0) return parts;
      throw malformed('cut', boundary);
    }
    if (!mayBeEmpty && part.trim() === '') throw malformed();
    parts.push(part);
    if (parts.length === partsMax) return parts;
    delimiter = next;
  }
  return parts;
}

interface Delimiter {
  readonly start: number;
  readonly end: number;
  readonly last: boolean;
}

/** Returns the next delimiter. One client writes it directly after the previous body. */
function nextDelimiter(text: string, dashed: string, from: number): Delimiter | undefined {
  for (let start = text.indexOf(dashed, from); start >= 0; start = text.indexOf(dashed, start + 1)) {
    const end = start + dashed.length;
    if (text.startsWith('--', end)) return { start, end: end + 2, last: true };
    // A longer boundary with the same beginning is another boundary.
    if (end === text.length || isBlank(text.charCodeAt(end))) return { start, end, last: false };
  }
  return undefined;
}

/** Returns whether a character is a space, a tab or a part of a line end. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

const blankLine = /\r?\n[ \t]*\r?\n/;

/** Splits a text at its first blank line. Errors: InvalidInput if the head is longer than that of a request may be. */
function splitHead(text: string): { head: string; content: string } {
  const trimmed = text.slice(Math.max(0, text.search(/\S/)));
  const blank = blankLine.exec(trimmed);
  if ((blank?.index ?? trimmed.length) > headerBytesMax) throw malformed();
  if (!blank) return { head: trimmed.trimEnd(), content: '' };
  return { head: trimmed.slice(0, blank.index), content: trimmed.slice(blank.index + blank[0].length) };
}

/** Reads headers, one per line, by lower-cased name. Errors: InvalidInput for too many lines. */
function readHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const lines = text.split(/\r?\n/, partHeadersMax + 1);
  if (lines.length > partHeadersMax) throw malformed();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = lowerAscii(line.slice(0, colon).trim());
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** A part, with its texts around the URL and before the body. */
interface ReadPart {
  readonly beforeUrl: string;
  readonly afterUrl: string;
  /** The longest URL that a part with the same headers may have. Unit: UTF-16 code units. */
  readonly urlUnitsMax: number;
  readonly part: BatchPart;
}

/**
 * Reads the HTTP requests in the parts of a batch. The parts of a transaction are similar, so text in common with the
 * previous part is not parsed again.
 */
class PartReader {
  #last: ReadPart | undefined;

  /** Reads a part that differs from the previous one only in its URL and its body; undefined if it differs in more. */
  readAlike(text: string): BatchPart | undefined {
    if (!this.#last) return undefined;
    const { beforeUrl, afterUrl, urlUnitsMax, part } = this.#last;
    const urlAt = beforeUrl.length;
    if (!isAt(text, 0, beforeUrl)) return undefined;
    const urlEnd = text.indexOf(' ', urlAt);
    if (urlEnd <= urlAt || !isAt(text, urlEnd, afterUrl)) return undefined;
    if (urlEnd - urlAt > urlUnitsMax) return undefined;
    const url = text.slice(urlAt, urlEnd);
    if (/\s/.test(url)) return undefined;
    const { fields, method, headers } = part;
    return { fields, method, url, body: text.slice(urlEnd + afterUrl.length).trim(), headers, isPart: true };
  }

  /** Reads a part. `request` is the HTTP request at its end. */
  read(text: string, request: string): BatchPart {
    const { head, content } = splitHead(request);
    const lineEnd = head.indexOf('\n');
    const requestLine = (lineEnd < 0 ? head : head.slice(0, lineEnd)).replace(/\r$/, '');
    const fields = lineEnd < 0 ? '' : head.slice(lineEnd + 1);
    const [, method = '', url] = /^([A-Z]+) +(\S+) +HTTP\/\d\.\d[ \t]*$/.exec(requestLine) ?? [];
    if (url === undefined) throw malformed();
    const before = this.#last?.part;
    const headers = before?.fields === fields ? before.headers : readFields(fields);
    const part: BatchPart = { fields, method, url, body: content.trim(), headers, isPart: true };
    const bodyAt = text.length - content.length;
    const urlAt = text.indexOf(url, text.indexOf(head, text.length - request.length) + method.length);
    // Without a blank line, the headers of the next part may be longer.
    if (content !== '') {
      const urlUnitsMax = headerBytesMax - (head.length - url.length);
      const [beforeUrl, afterUrl] = [text.slice(0, urlAt), text.slice(urlAt + url.length, bodyAt)];
      this.#last = { beforeUrl, afterUrl, urlUnitsMax, part };
    }
    return part;
  }
}

/** Returns whether a text continues with another one. For long ones, `startsWith` takes ten times as long. */
function isAt(text: string, at: number, wanted: string): boolean {
  return text.slice(at, at + wanted.length) === wanted;
}

/** Reads the headers of a request. An empty value, which some clients send, counts as absent. Errors: those of `readHeaders`. */
function readFields(fields: string): HeaderFields {
  const headers = readHeaders(fields);
  return {
    accept: headers.get('accept') || undefined,
    'content-id': headers.get('content-id') || undefined,
    'content-type': headers.get('content-type') || undefined,
    'if-match': headers.get('if-match') || undefined,
    'if-none-match': headers.get('if-none-match') || undefined,
    prefer: headers.get('prefer') || undefined,
    'x-http-method': headers.get('x-http-method') || undefined,
  };
}
