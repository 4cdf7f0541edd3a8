import type { BodyFormat } from '../formats/open-body.js';
import type { TableErrorCode } from '../protocol/error-codes.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { type MetadataLevel, metadataLevels } from '../protocol/values/edm.js';
import { newestVersion, protocolVersions } from '../protocol/versions.js';

const jsonType = 'application/json';
const minimalType = 'application/json;odata=minimalmetadata';
const atomType = 'application/atom+xml';

/** A map, because an object also has inherited names such as `constructor`. */
const levels: ReadonlyMap<string, MetadataLevel> = new Map(metadataLevels.map((level) => [level, level]));

/** The format of answers: JSON at a metadata level, or Atom. */
type AnswerFormat = MetadataLevel | 'atom';

/** Why no type of a list is served. A code, not an error: an error for each range of a long list would take seconds. */
type FormatRejection = TableErrorCode &
  ('MediaTypeNotSupported' | 'AtomFormatNotSupported' | 'JsonFormatNotSupported' | 'JsonVerboseFormatNotSupported');

/**
 * Returns the format of the answers to a request: the one that `$format` or `Accept` names, whichever the service takes `first`.
 * If they name none, it is Atom at every version. In a list, JSON comes first, then Atom, then JSON for a range of any type.
 *
 * `strict` is false for operations that negotiate only the format of their errors, so that any `Accept` is valid.
 * Errors: AtomFormatNotSupported, JsonFormatNotSupported, JsonVerboseFormatNotSupported, MediaTypeNotSupported.
 * Source: atom 1.1; operations 5.1; docs/divergences.md.
 */
export function negotiateFormat(
  first: string | undefined,
  second: string | undefined,
  version: string,
  strict: boolean,
  speaksAtom = true,
): AnswerFormat {
  const asked = first || second;
  if (asked === undefined) return speaksAtom ? 'atom' : 'minimalmetadata';
  if (asked === minimalType && version >= protocolVersions.json) return 'minimalmetadata';
  if (isAnyType(asked)) return speaksAtom ? 'atom' : 'minimalmetadata';
  const outcome = readRanges(asked, version);
  if (!speaksAtom) return withoutAtom(asked, outcome, strict);
  if (isFormat(outcome)) return outcome;
  if (!strict) return outcome === 'AtomFormatNotSupported' ? 'atom' : 'minimalmetadata';
  throw notServed(outcome, 'Accept, or $format,', asked);
}

function isFormat(outcome: AnswerFormat | FormatRejection | 'any'): outcome is AnswerFormat {
  return outcome === 'atom' || levels.has(outcome);
}

/** Returns the format for a service that has only JSON. Errors: MediaTypeNotSupported. Source: cosmos 12. */
function withoutAtom(asked: string, outcome: AnswerFormat | FormatRejection, strict: boolean): AnswerFormat {
  if (isFormat(outcome) && outcome !== 'atom') return outcome;
  if (strict) throw notServed('MediaTypeNotSupported', 'Accept, or $format,', asked);
  return 'minimalmetadata';
}

/**
 * Checks that a header that names types names JSON. A range for several types does not. Errors: MediaTypeNotSupported.
 * Source: cosmos 15.3.
 */
export function checkJsonAccept(accept: string | undefined): void {
  if (accept === jsonType || accept === minimalType || accept === undefined || accept.trim() === '') return;
  for (const range of piecesOf(accept, ',')) if (levels.has(readRange(range, newestVersion))) return;
  throw notServed('MediaTypeNotSupported', 'Accept', accept);
}

function notServed(code: FormatRejection, header: string, value: string): TableError {
  const needs = code === 'JsonFormatNotSupported' ? 'Send a newer x-ms-version.' : 'Name application/json.';
  return new TableError(code, { evidence: () => ({ check: 'header-value', header, value, needs }) });
}

/**
 * Returns the format of an error that occurs before the format of the answer is negotiated: XML for a client that names no
 * type or Atom, JSON for any other. Source: atom 6; docs/divergences.md.
 */
export function formatOfEarlyError(accept: string | undefined, speaksAtom = true): AnswerFormat {
  return negotiateFormat(undefined, accept, newestVersion, false, speaksAtom) === 'atom' ? 'atom' : 'minimalmetadata';
}

/** Returns whether a header names no type: it is blank or allows all types. */
function isAnyType(asked: string): boolean {
  return !asked.includes(',') && ['', '*/*'].includes(typeOf(asked));
}

/**
 * Yields the pieces of a header's value between separators that are not in quotes: the media ranges of a list, or a type and its
 * parameters. Of the empty ones it yields only the first, because a list may have millions of commas. Source: RFC 9110, section 5.6.
 */
function* piecesOf(value: string, separator: ',' | ';'): Generator<string> {
  let start = 0;
  let hadEmpty = false;
  let isQuoted = false;
  for (let at = 0; at <= value.length; at++) {
    const character = value[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\' && isQuoted) at++;
    if (at < value.length && (isQuoted || character !== separator)) continue;
    if (start < at || !hadEmpty) yield value.slice(start, at);
    hadEmpty ||= start === at;
    start = at + 1;
  }
}

/** Returns the best format that a list of media ranges allows, or the rejection. */
function readRanges(asked: string, version: string): AnswerFormat | FormatRejection {
  let allowsAny = false;
  let namesXml = false;
  let rejection: FormatRejection | undefined;
  for (const range of piecesOf(asked, ',')) {
    const outcome = readRange(range, version);
    if (outcome === 'any') allowsAny = true;
    else if (outcome === 'atom') namesXml = true;
    else if (isFormat(outcome)) return outcome;
    else rejection ??= outcome;
  }
  // Browsers name XML before all types; clients that want Atom name Atom.
  if (allowsAny && !lowerAscii(asked).includes(atomType)) return 'minimalmetadata';
  if (!namesXml) return rejection ?? 'MediaTypeNotSupported';
  return version < protocolVersions.jsonOnly ? 'atom' : 'AtomFormatNotSupported';
}

/** Returns the format that one media range names, or its rejection. */
function readRange(range: string, version: string): AnswerFormat | 'any' | FormatRejection {
  const type = typeOf(range);
  if (type === '*/*' || type === 'application/*') return 'any';
  if (type === atomType || type === 'application/xml') return 'atom';
  if (type !== jsonType) return 'MediaTypeNotSupported';
  if (version < protocolVersions.json) return 'JsonFormatNotSupported';
  const level = readParameter(range, 'odata');
  if (level === undefined) return 'minimalmetadata';
  if (level === 'verbose') return 'JsonVerboseFormatNotSupported';
  return levels.get(level) ?? 'MediaTypeNotSupported';
}

/** Returns the value of a parameter of a media range, without quotes and in lower case; undefined if there is none. */
function readParameter(range: string, name: string): string | undefined {
  for (const parameter of piecesOf(range, ';')) {
    const equals = parameter.indexOf('=');
    if (equals < 0 || lowerAscii(parameter.slice(0, equals).trim()) !== name) continue;
    const value = lowerAscii(parameter.slice(equals + 1).trim());
    return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  }
  return undefined;
}

/**
 * Checks that `Accept` allows XML. If `anyType` is false, a range for all types is rejected.
 *
 * Errors: MediaTypeNotSupported. Source: recordings-facts 7; checks-order 9 step 3.
 */
export function checkXmlAccept(accept: string | undefined, anyType: boolean): void {
  if (accept === undefined || accept.trim() === '') return;
  for (const range of piecesOf(accept, ',')) {
    const type = typeOf(range);
    if (type.endsWith('xml') || (anyType && (type === '*/*' || type === 'application/*'))) return;
  }
  throw new TableError('MediaTypeNotSupported', { variant: { name: 'xml-not-accepted' } });
}

/**
 * Checks the `Content-Type` of a body. Returns the format of the entity or the table in it; JSON for other bodies.
 *
 * Errors: MediaTypeNotSupported, AtomFormatNotSupported; InvalidInput if there is none. Source: operations 5.2; atom 1.2.
 */
export function readContentType(
  contentType: string | undefined,
  takes: 'odata' | 'multipart' | 'xml',
  version: string,
  speaksAtom = true,
): BodyFormat {
  if (takes !== 'odata' || contentType === jsonType) return 'json';
  // Cosmos DB does not use the OData library that rejects this.
  if (!contentType && speaksAtom) throw new TableError('InvalidInput', { variant: { name: 'content-type-missing' } });
  const type = typeOf(contentType ?? '');
  if (type === jsonType) return 'json';
  if (type !== atomType || !speaksAtom) throw notServed('MediaTypeNotSupported', 'Content-Type', contentType ?? '');
  if (version >= protocolVersions.jsonOnly) throw notServed('AtomFormatNotSupported', 'Content-Type', type);
  return 'atom';
}

/** Returns whether a `Content-Type` names Atom. */
export function namesAtom(contentType: string | undefined): boolean {
  return contentType !== undefined && contentType !== jsonType && typeOf(contentType) === atomType;
}

/** Returns the media type in a header's value, without its parameters. */
function typeOf(value: string): string {
  const end = value.indexOf(';');
  return lowerAscii((end < 0 ? value : value.slice(0, end)).trim());
}
