import { type AccessPolicy, readPolicies, type SentPolicy } from '../../protocol/access-policy.js';
import { invalidXml, readFields, readXml, type XmlElement } from './read-xml.js';

/**
 * Reads the access policies from the body of Set Table ACL. An empty body is an empty list.
 *
 * Errors: InvalidXmlDocument for every fault: structure, ids, times, permissions, more than five policies.
 * Source: operations 8.5.
 */
export async function readPoliciesDocument(body: string): Promise<readonly AccessPolicy[]> {
  if (body.trim() === '') return [];
  const root = await readXml(body);
  if (root.name !== 'SignedIdentifiers') throw invalidXml();
  const policies = readPolicies(root.children.map(readFieldsOf));
  if (!policies) throw invalidXml();
  return policies;
}

function readFieldsOf(element: XmlElement): SentPolicy {
  if (element.name !== 'SignedIdentifier') throw invalidXml();
  const { Id, AccessPolicy: policy } = readFields(element, ['Id', 'AccessPolicy']);
  const { Start, Expiry, Permission } = policy ? readFields(policy, ['Start', 'Expiry', 'Permission']) : {};
  return { id: Id?.text, start: Start?.text, expiry: Expiry?.text, permission: Permission?.text };
}
