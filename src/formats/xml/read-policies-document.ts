import { type AccessPolicy, readPolicies, type SentPolicy } from '../../protocol/access/access-policy.js';
import { accessPoliciesMax, accessPolicyIdLengthMax } from '../../protocol/limits.js';
import { checkName, invalidXml, readFields, readXml, type XmlElement } from './read-xml.js';

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

/** What a list of policies needs. Source: operations 8.5. */
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
