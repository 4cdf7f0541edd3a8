import type { DelegationKeyFields } from '../../protocol/access/user-delegation.js';
import { escapeXmlText } from '../../protocol/xml/xml-text.js';
import { xmlDeclaration } from './xml-declaration.js';

/** Writes a user delegation key as Get User Delegation Key answers it. Source: identity 5. */
export function writeDelegationKeyDocument(key: DelegationKeyFields, value: string): string {
  const elements = [
    ['SignedOid', key.objectId],
    ['SignedTid', key.tenant],
    ['SignedStart', key.start],
    ['SignedExpiry', key.expiry],
    ['SignedService', key.service],
    ['SignedVersion', key.version],
    ...(key.delegatedTenant === '' ? [] : [['SignedDelegatedUserTid', key.delegatedTenant]]),
    ['Value', value],
  ];
  const inner = elements.map(([name, text = '']) => `<${name}>${escapeXmlText(text)}</${name}>`).join('');
  return `${xmlDeclaration}<UserDelegationKey>${inner}</UserDelegationKey>`;
}
