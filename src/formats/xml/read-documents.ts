import { bodyFaultAt } from '../../entity/body/find-json-fault.js';
import { type AccessPolicy, readPolicies, type SentPolicy } from '../../protocol/access/access-policy.js';
import type { KeyInfo } from '../../protocol/access/user-delegation.js';
import { TableError } from '../../protocol/errors.js';
import {
  accessPoliciesMax,
  accessPolicyIdLengthMax,
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
import { ownText } from '../../remembered.js';
import { findXmlFault, parseXml, type XmlNode } from './parse-xml.js';

/**
 * Reads the settings from the body of Set Table Service Properties. The result has only those that the document has.
 *
 * Errors: InvalidXmlNodeValue for too many origins or headers in one rule, InvalidXmlDocument for every other fault.
 * Source: operations 8.7.
 */
export async function readPropertiesDocument(body: string): Promise<Partial<ServiceProperties>> {
  const root = await readXml(body);
  checkName(root, 'StorageServiceProperties');
  const names = ['Logging', 'HourMetrics', 'MinuteMetrics', 'Metrics', 'Cors'] as const;
  if (root.children.length === 0) {
    throw invalidXml({ path: `${root.path}/*`, text: '' }, `Send at least one of ${names.join(', ')}.`, 'missing');
  }
  const fields = readFields(root, names);
  const [Logging, HourMetrics, MinuteMetrics, Metrics, Cors] = names.map(fields.find);
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
  checkVersion(fields.get('Version'));
  return {
    read: readBoolean(fields.get('Read')),
    write: readBoolean(fields.get('Write')),
    delete: readBoolean(fields.get('Delete')),
    retention: readRetention(fields.get('RetentionPolicy')),
  };
}

function readMetrics(element: XmlElement): Metrics {
  const fields = readFields(element, ['Version', 'Enabled', 'IncludeAPIs', 'RetentionPolicy']);
  checkVersion(fields.get('Version'));
  const retention = readRetention(fields.get('RetentionPolicy'));
  if (readBoolean(fields.get('Enabled'))) return { includeApis: readBoolean(fields.get('IncludeAPIs')), retention };
  const apis = fields.find('IncludeAPIs');
  if (apis && readBoolean(apis)) throw invalidXml(apis, 'Send false, or leave it out: the metrics are not enabled.');
  return { retention };
}

/** Reads a retention. The service rejects `Days` when retention is disabled. Source: atom 1.3. */
function readRetention(element: XmlElement): RetentionPolicy {
  const fields = readFields(element, ['Enabled', 'Days']);
  if (!readBoolean(fields.get('Enabled'))) {
    const unused = fields.find('Days');
    if (unused) throw invalidXml(unused, 'Leave the days out: the retention is not enabled.', 'unexpected');
    return {};
  }
  const days = readCount(fields.get('Days'));
  if (days < 1 || days > retentionDaysMax) throw invalidXml(fields.get('Days'), `Send 1 to ${retentionDaysMax} days.`);
  return { days };
}

function readCors(element: XmlElement): readonly CorsRule[] {
  const { children } = element;
  if (children.length > corsRulesMax) {
    throw invalidXml(element, `Send at most ${corsRulesMax} rules; here are ${children.length}.`);
  }
  const rules = children.map(readCorsRule);
  const bytes = rules
    .flatMap(({ methods, origins, allowedHeaders, exposedHeaders }) => [
      ...methods,
      ...origins,
      ...allowedHeaders,
      ...exposedHeaders,
    ])
    .reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes > corsBytesMax)
    throw invalidXml(element, `Send at most ${corsBytesMax} bytes in all rules; here are ${bytes}.`);
  return rules;
}

function readCorsRule(element: XmlElement): CorsRule {
  checkName(element, 'CorsRule');
  const fields = readFields(element, [
    'AllowedMethods',
    'AllowedOrigins',
    'AllowedHeaders',
    'ExposedHeaders',
    'MaxAgeInSeconds',
  ]);
  const methods = readList(fields.get('AllowedMethods')).map((method) => method.toUpperCase());
  const origins = readList(fields.get('AllowedOrigins'));
  if (methods.length === 0 || methods.some((method) => !corsMethods.includes(method))) {
    throw invalidXml(fields.get('AllowedMethods'), `Send at least one of ${corsMethods.join(', ')}.`);
  }
  if (origins.length === 0) throw invalidXml(fields.get('AllowedOrigins'), 'Send at least one origin, or *.');
  checkLength(fields.get('AllowedOrigins'), 'origins', origins, corsOriginsMax);
  return {
    methods,
    origins,
    allowedHeaders: readHeaders(fields.get('AllowedHeaders')),
    exposedHeaders: readHeaders(fields.get('ExposedHeaders')),
    maxAgeSeconds: readCount(fields.get('MaxAgeInSeconds')),
  };
}

/** Reads a list of header names. The result has literal names first, then prefixes. Source: recordings-facts 7. */
function readHeaders(element: XmlElement): readonly string[] {
  const names = readList(element);
  const literal = names.filter((name) => !name.endsWith('*'));
  const prefixed = names.filter((name) => name.endsWith('*'));
  checkLength(element, 'complete names', literal, corsLiteralHeadersMax);
  checkLength(element, 'names that end in *', prefixed, corsPrefixedHeadersMax);
  return [...literal, ...prefixed];
}

/** Checks the length of a list. Errors: InvalidXmlNodeValue. Source: operations 8.7. */
function checkLength(element: XmlElement, noun: string, values: readonly string[], max: number): void {
  if (values.length <= max) return;
  const needs = `Send at most ${max} ${noun}; here are ${values.length}.`;
  throw invalidXml(element, needs, 'value', 'InvalidXmlNodeValue');
}

function readList(element: XmlElement): string[] {
  const values = element.text.split(',').map((value) => value.trim());
  if (values.some((value) => value.length > corsValueLengthMax)) {
    throw invalidXml(element, `Send values of at most ${corsValueLengthMax} characters.`);
  }
  return values.filter((value) => value !== '');
}

function checkVersion(element: XmlElement): void {
  if (element.text !== '1.0') throw invalidXml(element, 'Send 1.0.');
}

/** Reads true or false. One client writes a capital letter. Source: clients 1. */
function readBoolean(element: XmlElement): boolean {
  const text = lowerAscii(element.text);
  if (text !== 'true' && text !== 'false') throw invalidXml(element, 'Send true or false.');
  return text === 'true';
}

/** Reads a number of seconds or days. The service stores it in 32 bits. */
function readCount(element: XmlElement): number {
  const count = /^\d+$/.test(element.text) ? Number(element.text) : Number.NaN;
  if (!(count <= int32Max)) throw invalidXml(element, 'Send a whole number of 32 bits, from 0 on.');
  return count;
}

/**
 * Reads the access policies from the body of Set Table ACL. An empty body is an empty list.
 *
 * Errors: InvalidXmlDocument for every fault: structure, ids, times, permissions, more than five policies.
 * Source: operations 8.5.
 */
export async function readPoliciesDocument(body: string): Promise<readonly AccessPolicy[]> {
  if (body.trim() === '') return [];
  const root = await readXml(body);
  checkName(root, 'SignedIdentifiers');
  const policies = readPolicies(root.children.map(readFieldsOf));
  if (!policies) throw invalidXml(root, policyNeeds);
  return policies;
}

/** The requirements for a list of policies. Source: operations 8.5. */
const policyNeeds =
  `Send at most ${accessPoliciesMax} policies, each with an Id of its own of at most ${accessPolicyIdLengthMax} characters, ` +
  'Start and Expiry as 2026-01-31T10:00:00Z, and in Permission letters of r, a, u, d in this order.';

function readFieldsOf(element: XmlElement): SentPolicy {
  checkName(element, 'SignedIdentifier');
  const fields = readFields(element, ['Id', 'AccessPolicy']);
  const policy = fields.find('AccessPolicy');
  const inner = policy && readFields(policy, ['Start', 'Expiry', 'Permission']);
  return {
    id: fields.find('Id')?.text,
    start: inner?.find('Start')?.text,
    expiry: inner?.find('Expiry')?.text,
    permission: inner?.find('Permission')?.text,
  };
}

/** An instant without fractions of a second, which the service rejects here. Source: identity 5. */
const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Reads the body of Get User Delegation Key. Errors: InvalidXmlDocument, InvalidXmlNodeValue. Source: identity 5. */
export async function readKeyInfoDocument(text: string): Promise<KeyInfo> {
  const root = await readXml(text);
  checkName(root, 'KeyInfo');
  const values = new Map<string, string>();
  for (const child of root.children) {
    const { name, text: value } = child;
    if (!['Start', 'Expiry', 'DelegatedUserTid'].includes(name) || values.has(name)) {
      throw invalidXml(child, 'KeyInfo has one Expiry, and may have one Start and one DelegatedUserTid.', 'unexpected');
    }
    const isInstant = instantForm.test(value) && !Number.isNaN(Date.parse(value));
    if (name !== 'DelegatedUserTid' && !isInstant) {
      throw invalidXml(
        child,
        'An instant in UTC without fractions, as 2026-01-31T10:00:00Z.',
        'value',
        'InvalidXmlNodeValue',
      );
    }
    values.set(name, value);
  }
  const expiry = values.get('Expiry');
  if (expiry === undefined) throw invalidXml(root, 'KeyInfo needs Expiry.', 'missing');
  return { start: values.get('Start'), expiry, delegatedTenant: values.get('DelegatedUserTid') };
}

/** An element of an XML document. Attributes and comments are ignored, as the service does. */
export interface XmlElement {
  readonly name: string;
  /** The names of its parents and its own, with slashes between them. */
  readonly path: string;
  /** Its own text without white space at its ends. It shares no memory with the document: policies and settings keep it. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Longest document. Unit: UTF-16 code units. (Our choice: the largest of the service has a few kilobytes, and 4 MiB would take long.) */
const documentUnitsMax = 256 * 1024;

const tooLong = `the end of the document, which may have ${documentUnitsMax} characters,`;

/**
 * Reads an XML document.
 *
 * Errors: InvalidXmlDocument for text that is not well-formed or longer than `documentUnitsMax`, and for a document type, which
 * the service rejects.
 */
export async function readXml(text: string): Promise<XmlElement> {
  const root = text.length > documentUnitsMax ? undefined : parseXml(text);
  if (root === undefined) {
    const fault = () =>
      text.length > documentUnitsMax ? bodyFaultAt(text, documentUnitsMax, tooLong) : findXmlFault(text);
    const evidence = () => ({ check: 'body-syntax', format: 'XML', fault: fault() }) as const;
    throw new TableError('InvalidXmlDocument', { evidence });
  }
  return trimmed(root, '');
}

function trimmed({ name, text, children }: XmlNode, parent: string): XmlElement {
  const path = parent + name;
  return { name, path, text: ownText(text.trim()), children: children.map((child) => trimmed(child, `${path}/`)) };
}

/**
 * Returns the error for a fault of a document; the service has one code for nearly all. `needs` is its expectation, as a sentence.
 * Source: checks-order 9.
 */
function invalidXml(
  { path, text }: Pick<XmlElement, 'path' | 'text'>,
  needs: string,
  fault: 'unexpected' | 'missing' | 'value' = 'value',
  code: 'InvalidXmlDocument' | 'InvalidXmlNodeValue' = 'InvalidXmlDocument',
): TableError {
  const value = text.slice(0, shownUnitsMax);
  return new TableError(code, { evidence: () => ({ check: 'xml-element', path, fault, value, needs }) });
}

/** Longest text in an explanation. Unit: UTF-16 code units. */
const shownUnitsMax = 80;

/** Checks the name of an element. Errors: InvalidXmlDocument. */
function checkName(element: XmlElement, expected: string): void {
  if (element.name !== expected) throw invalidXml(element, `Send the element ${expected} there.`, 'unexpected');
}

/** The children of an element, each at most once. */
interface Fields<Name extends string> {
  find(name: Name): XmlElement | undefined;
  /** Errors: InvalidXmlDocument if it is missing. */
  get(name: Name): XmlElement;
}

/** Returns the children of an element by name. Errors: InvalidXmlDocument for an unexpected or repeated child. */
function readFields<Name extends string>(element: XmlElement, expected: readonly Name[]): Fields<Name> {
  const needs = `${element.name} may have once each: ${expected.join(', ')}.`;
  const fields = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (!expected.some((name) => name === child.name) || fields.has(child.name)) {
      throw invalidXml(child, needs, 'unexpected');
    }
    fields.set(child.name, child);
  }
  return {
    find: (name) => fields.get(name),
    get(name) {
      const child = fields.get(name);
      if (!child) throw invalidXml({ path: `${element.path}/${name}`, text: '' }, needs, 'missing');
      return child;
    },
  };
}
