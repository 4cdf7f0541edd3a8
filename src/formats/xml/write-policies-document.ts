import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import { escapeXmlText } from '../../protocol/xml/xml-text.js';
import { xmlDeclaration } from './xml-declaration.js';

/** Writes access policies as Get Table ACL answers them: only the fields that were set, in fixed order. Source: recordings-facts 7. */
export function writePoliciesDocument(policies: readonly AccessPolicy[]): string {
  if (policies.length === 0) return `${xmlDeclaration}<SignedIdentifiers />`;
  return `${xmlDeclaration}<SignedIdentifiers>${policies.map(writePolicy).join('')}</SignedIdentifiers>`;
}

function writePolicy({ id, start, expiry, permission }: AccessPolicy): string {
  const fields = [
    start === undefined ? '' : `<Start>${start}</Start>`,
    expiry === undefined ? '' : `<Expiry>${expiry}</Expiry>`,
    permission === undefined ? '' : `<Permission>${permission}</Permission>`,
  ].join('');
  const policy = fields === '' ? '' : `<AccessPolicy>${fields}</AccessPolicy>`;
  return `<SignedIdentifier><Id>${escapeXmlText(id)}</Id>${policy}</SignedIdentifier>`;
}
