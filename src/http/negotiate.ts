import type { BodyFormat } from '../formats/open-body.js';
import { type MetadataLevel, metadataLevels } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { newestVersion, protocolVersions } from '../protocol/versions.js';

const jsonType = 'application/json';
const minimalType = 'application/json;odata=minimalmetadata';
const atomType = 'application/atom+xml';

/** A map, because an object also has inherited names such as `constructor`. */
const levels: ReadonlyMap<string, MetadataLevel> = new Map(metadataLevels.map((level) => [level, level]));

/** The format of answers: JSON at a metadata level, or Atom. */
export type AnswerFormat = MetadataLevel | 'atom';

/**
 * Returns the format of the answers to a request: the one that `$format` or `Accept` names, whichever the service takes `first`.
 * If they name none, it is Atom at every version. In a list, JSON comes first, then Atom; a list that names neither is answered with JSON if it allows any
 * type.
 *
 * `strict` is false for operations whose answer has no negotiated format. Only their errors have it, so any `Accept` is
 * valid.
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
  // Nearly all requests have this value.
  if (asked === minimalType && version >= protocolVersions.json) return 'minimalmetadata';
  if (isAnyType(asked)) return speaksAtom ? 'atom' : 'minimalmetadata';
  const outcome = readRanges(asked, version);
  if (!speaksAtom) return withoutAtom(outcome, strict);
  if (typeof outcome === 'string') return outcome;
  if (!strict) return outcome.code === 'AtomFormatNotSupported' ? 'atom' : 'minimalmetadata';
  throw outcome;
}

/** Returns the format for a service that has only JSON. Errors: MediaTypeNotSupported. Source: cosmos 12. */
function withoutAtom(outcome: AnswerFormat | TableError, strict: boolean): AnswerFormat {
  if (typeof outcome === 'string' && outcome !== 'atom') return outcome;
  if (strict) throw new TableError('MediaTypeNotSupported');
  return 'minimalmetadata';
}

/**
 * Checks that a header that names types names JSON. A range for several types does not. Errors: MediaTypeNotSupported.
 * Source: cosmos 15.3.
 */
export function checkJsonAccept(accept: string | undefined): void {
  // Nearly all requests have one of the first two values.
  if (accept === jsonType || accept === minimalType || accept === undefined || accept.trim() === '') return;
  const namesJson = accept.split(',').some((range) => levels.has(readRange(range, newestVersion) as MetadataLevel));
  if (!namesJson) throw new TableError('MediaTypeNotSupported');
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

/** Returns the best format that a list of media ranges allows, or the error if none is served. */
function readRanges(asked: string, version: string): AnswerFormat | TableError {
  let allowsAny = false;
  let namesXml = false;
  let refusal: TableError | undefined;
  for (const range of asked.split(',')) {
    const outcome = readRange(range, version);
    if (outcome === 'any') allowsAny = true;
    else if (outcome === 'atom') namesXml = true;
    else if (typeof outcome === 'string') return outcome;
    else refusal ??= outcome;
  }
  // Browsers name XML before all types; clients that want Atom name Atom.
  if (allowsAny && !lowerAscii(asked).includes(atomType)) return 'minimalmetadata';
  if (!namesXml) return refusal ?? new TableError('MediaTypeNotSupported');
  return version < protocolVersions.jsonOnly ? 'atom' : new TableError('AtomFormatNotSupported');
}

/** Returns the format that one media range names, or the error if it is not served. */
function readRange(range: string, version: string): AnswerFormat | 'any' | TableError {
  const [type = '', ...parameters] = range.split(';').map((part) => lowerAscii(part.trim()));
  if (type === '*/*' || type === 'application/*') return 'any';
  if (type === atomType || type === 'application/xml') return 'atom';
  if (type !== 'application/json') return new TableError('MediaTypeNotSupported');
  if (version < protocolVersions.json) return new TableError('JsonFormatNotSupported');
  const level = parameters.find((parameter) => parameter.startsWith('odata='))?.slice('odata='.length);
  if (level === undefined) return 'minimalmetadata';
  if (level === 'verbose') return new TableError('JsonVerboseFormatNotSupported');
  return levels.get(level) ?? new TableError('MediaTypeNotSupported');
}

/**
 * Checks that `Accept` allows XML. If `anyType` is false, a range for all types is refused.
 *
 * Errors: MediaTypeNotSupported. Source: recordings-facts 7; checks-order 9 step 3.
 */
export function checkXmlAccept(accept: string | undefined, anyType: boolean): void {
  if (accept === undefined || accept.trim() === '') return;
  const types = accept.split(',').map((range) => typeOf(range));
  const taken = types.some((type) => type.endsWith('xml') || (anyType && (type === '*/*' || type === 'application/*')));
  if (!taken) throw new TableError('MediaTypeNotSupported', { variant: { name: 'xml-not-accepted' } });
}

/**
 * Checks the `Content-Type` of a body. Returns the format of the entity or the table in it; JSON for other bodies.
 *
 * Errors: MediaTypeNotSupported, AtomFormatNotSupported. Source: operations 5.2; atom 1.2.
 */
export function readContentType(
  contentType: string | undefined,
  takes: 'odata' | 'multipart' | 'xml',
  version: string,
  speaksAtom = true,
): BodyFormat {
  // Nearly all requests have this value.
  if (takes !== 'odata' || contentType === jsonType) return 'json';
  const type = typeOf(contentType ?? '');
  if (type === jsonType) return 'json';
  if (type !== atomType || !speaksAtom) throw new TableError('MediaTypeNotSupported');
  if (version >= protocolVersions.jsonOnly) throw new TableError('AtomFormatNotSupported');
  return 'atom';
}

/** Returns whether a `Content-Type` names Atom. */
export function namesAtom(contentType: string | undefined): boolean {
  return contentType !== undefined && typeOf(contentType) === atomType;
}

/** Returns the media type in a header's value, without its parameters. */
function typeOf(value: string): string {
  return lowerAscii((value.split(';', 1)[0] ?? '').trim());
}
