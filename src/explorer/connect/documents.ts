import { escapeXmlText } from '../../protocol/xml/xml-text.js';

/** A policy or a rule: the text of each element by its name, empty for an absent one. */
export type Item = Readonly<Record<string, string>>;

/** Reads all elements of one name. The service writes no attributes in them, and the policy of the page allows no DOMParser. */
export function readItems(xml: string, name: string, fields: readonly string[]): readonly Item[] {
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

/** Writes the body of Set Table ACL. Absent elements are left out. */
export function writePolicies(policies: readonly Item[]): string {
  const written = policies.map((policy) => {
    const fields = ['Start', 'Expiry', 'Permission']
      .filter((name) => policy[name])
      .map((name) => element(policy, name));
    return `<SignedIdentifier>${element(policy, 'Id')}<AccessPolicy>${fields.join('')}</AccessPolicy></SignedIdentifier>`;
  });
  return `<SignedIdentifiers>${written.join('')}</SignedIdentifiers>`;
}

/** Writes the body of Set Table Service Properties that changes only the CORS rules. They have all elements, in this order. */
export function writeRules(rules: readonly Item[]): string {
  const names = ['AllowedMethods', 'AllowedOrigins', 'AllowedHeaders', 'ExposedHeaders', 'MaxAgeInSeconds'];
  const written = rules.map((rule) => {
    const whole = { ...rule, MaxAgeInSeconds: rule['MaxAgeInSeconds'] || '0' };
    return `<CorsRule>${names.map((name) => element(whole, name)).join('')}</CorsRule>`;
  });
  return `<StorageServiceProperties><Cors>${written.join('')}</Cors></StorageServiceProperties>`;
}

function element(item: Item, name: string): string {
  return `<${name}>${escapeXmlText(item[name] ?? '')}</${name}>`;
}
