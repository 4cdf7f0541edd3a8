import { escapeXmlText } from '../../protocol/xml/xml-text.js';

/** A policy or a rule: the text of each element by its name, empty for an absent one. */
export type Item = Readonly<Record<string, string>>;

/** The elements of a stored access policy, besides its Id. */
const policyFields = ['Start', 'Expiry', 'Permission'] as const;

/** The elements of a CORS rule, in the order of the service. */
const ruleFields = ['AllowedMethods', 'AllowedOrigins', 'AllowedHeaders', 'ExposedHeaders', 'MaxAgeInSeconds'] as const;

/** Reads the stored access policies of an answer. */
export function readPolicies(xml: string): readonly Item[] {
  return readItems(xml, 'SignedIdentifier', ['Id', ...policyFields]);
}

/** Writes the body of Set Table ACL. */
export function writePolicies(policies: readonly Item[]): string {
  return element(
    'SignedIdentifiers',
    policies.map((policy) =>
      element('SignedIdentifier', [
        writeFields(policy, ['Id']),
        element('AccessPolicy', [writeFields(policy, policyFields)]),
      ]),
    ),
  );
}

/** Reads the CORS rules of the properties of the service. */
export function readRules(xml: string): readonly Item[] {
  return readItems(xml, 'CorsRule', ruleFields);
}

/** Writes the body of Set Table Service Properties that changes only the CORS rules. */
export function writeRules(rules: readonly Item[]): string {
  const written = rules.map((rule) => element('CorsRule', [writeFields(rule, ruleFields, true)]));
  return element('StorageServiceProperties', [element('Cors', written)]);
}

/** Reads all elements of one name. The service writes no attributes in them, and the policy of the page allows no DOMParser. */
function readItems(xml: string, name: string, fields: readonly string[]): readonly Item[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) =>
    Object.fromEntries(
      fields.map((field) => [field, readXmlText(new RegExp(`<${field}>([^<]*)</${field}>`).exec(inner)?.[1] ?? '')]),
    ),
  );
}

/** The service escapes these three characters and no others. */
function readXmlText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function writeFields(item: Item, fields: readonly string[], withEmpty = false): string {
  return fields
    .filter((field) => withEmpty || item[field])
    .map((field) => element(field, [escapeXmlText(item[field] ?? '')]))
    .join('');
}

function element(name: string, inner: readonly string[]): string {
  return `<${name}>${inner.join('')}</${name}>`;
}
