import type { KeyInfo } from '../../protocol/access/user-delegation.js';
import { checkName, invalidXml, readXml } from './read-xml.js';

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
