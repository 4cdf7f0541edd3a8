import { TableError } from '../../protocol/errors.js';
import {
  corsBytesMax,
  corsLiteralHeadersMax,
  corsOriginsMax,
  corsPrefixedHeadersMax,
  corsRulesMax,
  corsValueLengthMax,
  int32Max,
  retentionDaysMax,
} from '../../protocol/limits.js';
import { lowerAscii } from '../../protocol/names.js';
import {
  type CorsRule,
  corsMethods,
  type Logging,
  type Metrics,
  type RetentionPolicy,
  type ServiceProperties,
} from '../../protocol/service-properties.js';
import { invalidXml, readFields, readXml, type XmlElement } from './read-xml.js';

/**
 * Reads the settings from the body of Set Table Service Properties. The result has only those that the document has.
 *
 * Errors: InvalidXmlNodeValue for too many origins or headers in one rule, InvalidXmlDocument for every other fault.
 * Source: operations 8.7.
 */
export async function readPropertiesDocument(body: string): Promise<Partial<ServiceProperties>> {
  const root = await readXml(body);
  if (root.name !== 'StorageServiceProperties' || root.children.length === 0) throw invalidXml();
  const { Logging, HourMetrics, MinuteMetrics, Metrics, Cors } = readFields(root, [
    'Logging',
    'HourMetrics',
    'MinuteMetrics',
    'Metrics',
    'Cors',
  ]);
  // Old versions have one kind of metrics, which is per hour.
  const hour = HourMetrics ?? Metrics;
  return {
    ...(Logging && { logging: readLogging(Logging) }),
    ...(hour && { hourMetrics: readMetrics(hour) }),
    ...(MinuteMetrics && { minuteMetrics: readMetrics(MinuteMetrics) }),
    ...(Cors && { cors: readCors(Cors) }),
  };
}

function readLogging(element: XmlElement): Logging {
  const fields = readFields(element, ['Version', 'Read', 'Write', 'Delete', 'RetentionPolicy']);
  checkVersion(fields.Version);
  return {
    read: readBoolean(fields.Read),
    write: readBoolean(fields.Write),
    delete: readBoolean(fields.Delete),
    retention: readRetention(fields.RetentionPolicy),
  };
}

function readMetrics(element: XmlElement): Metrics {
  const fields = readFields(element, ['Version', 'Enabled', 'IncludeAPIs', 'RetentionPolicy']);
  checkVersion(fields.Version);
  const retention = readRetention(fields.RetentionPolicy);
  if (readBoolean(fields.Enabled)) return { includeApis: readBoolean(fields.IncludeAPIs), retention };
  if (fields.IncludeAPIs && readBoolean(fields.IncludeAPIs)) throw invalidXml();
  return { retention };
}

/** Reads a retention. The service refuses days of one that is off. Source: atom 1.3. */
function readRetention(element: XmlElement | undefined): RetentionPolicy {
  if (!element) throw invalidXml();
  const { Enabled, Days } = readFields(element, ['Enabled', 'Days']);
  if (!readBoolean(Enabled)) {
    if (Days) throw invalidXml();
    return {};
  }
  const days = readCount(Days);
  if (days < 1 || days > retentionDaysMax) throw invalidXml();
  return { days };
}

function readCors(element: XmlElement): readonly CorsRule[] {
  if (element.children.length > corsRulesMax) throw invalidXml();
  const rules = element.children.map(readCorsRule);
  const bytes = rules
    .flatMap(({ methods, origins, allowedHeaders, exposedHeaders }) => [
      ...methods,
      ...origins,
      ...allowedHeaders,
      ...exposedHeaders,
    ])
    .reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes > corsBytesMax) throw invalidXml();
  return rules;
}

function readCorsRule(element: XmlElement): CorsRule {
  if (element.name !== 'CorsRule') throw invalidXml();
  const fields = readFields(element, [
    'AllowedMethods',
    'AllowedOrigins',
    'AllowedHeaders',
    'ExposedHeaders',
    'MaxAgeInSeconds',
  ]);
  const methods = readList(fields.AllowedMethods).map((method) => method.toUpperCase());
  const origins = readList(fields.AllowedOrigins);
  if (methods.length === 0 || methods.some((method) => !corsMethods.includes(method))) throw invalidXml();
  if (origins.length === 0) throw invalidXml();
  if (origins.length > corsOriginsMax) throw tooLong();
  return {
    methods,
    origins,
    allowedHeaders: readHeaders(fields.AllowedHeaders),
    exposedHeaders: readHeaders(fields.ExposedHeaders),
    maxAgeSeconds: readCount(fields.MaxAgeInSeconds),
  };
}

/** Reads a list of header names. The result has literal names first, then prefixes. Source: recordings-facts 7. */
function readHeaders(element: XmlElement | undefined): readonly string[] {
  const names = readList(element);
  const literal = names.filter((name) => !name.endsWith('*'));
  const prefixed = names.filter((name) => name.endsWith('*'));
  if (literal.length > corsLiteralHeadersMax || prefixed.length > corsPrefixedHeadersMax) throw tooLong();
  return [...literal, ...prefixed];
}

/** Returns the error for a list with too many values. Source: operations 8.7. */
function tooLong(): TableError {
  return new TableError('InvalidXmlNodeValue');
}

function readList(element: XmlElement | undefined): string[] {
  if (!element) throw invalidXml();
  const values = element.text.split(',').map((value) => value.trim());
  if (values.some((value) => value.length > corsValueLengthMax)) throw invalidXml();
  return values.filter((value) => value !== '');
}

function checkVersion(element: XmlElement | undefined): void {
  if (element?.text !== '1.0') throw invalidXml();
}

/** Reads true or false. One client writes a capital letter. Source: clients 1. */
function readBoolean(element: XmlElement | undefined): boolean {
  const text = lowerAscii(element?.text ?? '');
  if (text !== 'true' && text !== 'false') throw invalidXml();
  return text === 'true';
}

/** Reads a number of seconds or days. The service stores it in 32 bits. */
function readCount(element: XmlElement | undefined): number {
  const count = /^\d+$/.test(element?.text ?? '') ? Number(element?.text) : Number.NaN;
  if (!(count <= int32Max)) throw invalidXml();
  return count;
}
