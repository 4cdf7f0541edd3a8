import { type AccessPolicy, readPolicyInstant } from '../../protocol/access-policy.js';
import { accessPoliciesMax, accessPolicyIdLengthMax } from '../../protocol/limits.js';
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
  if (root.name !== 'SignedIdentifiers' || root.children.length > accessPoliciesMax) throw invalidXml();
  const policies = root.children.map(readPolicy);
  if (new Set(policies.map(({ id }) => id)).size < policies.length) throw invalidXml();
  return policies;
}

function readPolicy(element: XmlElement): AccessPolicy {
  if (element.name !== 'SignedIdentifier') throw invalidXml();
  const { Id, AccessPolicy: policy } = readFields(element, ['Id', 'AccessPolicy']);
  const id = Id?.text ?? '';
  if (id === '' || id.length > accessPolicyIdLengthMax) throw invalidXml();
  const { Start, Expiry, Permission } = policy ? readFields(policy, ['Start', 'Expiry', 'Permission']) : {};
  const start = readInstant(Start);
  const expiry = readInstant(Expiry);
  const permission = Permission?.text || undefined;
  if (permission !== undefined && !/^r?a?u?d?$/.test(permission)) throw invalidXml();
  return {
    id,
    ...(start !== undefined && { start }),
    ...(expiry !== undefined && { expiry }),
    ...(permission !== undefined && { permission }),
  };
}

function readInstant(element: XmlElement | undefined): string | undefined {
  if (element === undefined || element.text === '') return undefined;
  const instant = readPolicyInstant(element.text);
  if (instant === undefined) throw invalidXml();
  return instant;
}
