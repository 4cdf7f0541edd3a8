import { type MetadataLevel, metadataLevels } from '../protocol/edm.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { protocolVersions } from '../protocol/versions.js';

const minimalType = 'application/json;odata=minimalmetadata';

/** A map, because an object also has inherited names such as `constructor`. */
const levels: ReadonlyMap<string, MetadataLevel> = new Map(metadataLevels.map((level) => [level, level]));

/**
 * Returns the metadata level of the JSON answers to a request: that of `$format`, or of the first served type in `Accept`, or
 * minimal metadata.
 *
 * `strict` is false for operations without a JSON answer, which accept any `Accept`.
 * Errors: AtomFormatNotSupported, JsonFormatNotSupported, JsonVerboseFormatNotSupported, MediaTypeNotSupported.
 * Source: operations 5.1; docs/divergences.md.
 */
export function negotiateLevel(
  format: string | undefined,
  accept: string | undefined,
  version: string,
  strict: boolean,
): MetadataLevel {
  const asked = format || accept;
  if (asked === undefined || asked.trim() === '') return 'minimalmetadata';
  // Nearly all requests have this value.
  if (asked === minimalType && version >= protocolVersions.json) return 'minimalmetadata';
  let refusal: TableError | undefined;
  for (const range of asked.split(',')) {
    const outcome = readRange(range, version);
    if (typeof outcome === 'string') return outcome;
    refusal ??= outcome;
  }
  if (!strict) return 'minimalmetadata';
  throw refusal ?? new TableError('MediaTypeNotSupported');
}

/** Returns the level of one media range, or the error if it is not served. */
function readRange(range: string, version: string): MetadataLevel | TableError {
  const [type = '', ...parameters] = range.split(';').map((part) => lowerAscii(part.trim()));
  if (type === '*/*' || type === 'application/*') return 'minimalmetadata';
  if (type === 'application/atom+xml' || type === 'application/xml') return new TableError('AtomFormatNotSupported');
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

/** Checks the `Content-Type` of a body. Errors: MediaTypeNotSupported, AtomFormatNotSupported. Source: operations 5.2. */
export function checkContentType(contentType: string | undefined, takes: 'json' | 'multipart' | 'xml'): void {
  const type = typeOf(contentType ?? '');
  if (takes === 'json' && type !== 'application/json') {
    throw new TableError(type === 'application/atom+xml' ? 'AtomFormatNotSupported' : 'MediaTypeNotSupported');
  }
}

/** Returns the media type in a header's value, without its parameters. */
function typeOf(value: string): string {
  return lowerAscii((value.split(';', 1)[0] ?? '').trim());
}
