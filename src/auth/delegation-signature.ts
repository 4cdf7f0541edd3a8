import type { Query } from '../address/query.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { isVersion, protocolVersions } from '../protocol/versions.js';
import type { Identity } from './identity.js';
import {
  checkCaller,
  checkLines,
  checkTimes,
  readSignedRange,
  type SignatureContext,
} from './shared-access-signature.js';
import { isSignedBy, SigningKey } from './signing-key.js';
import { readSignatureFields, type SignatureFields, signatureFieldNames } from './string-to-sign.js';
import type { Principal, TokenAuthority } from './token-authority.js';

/** The parameters of a signature by a user delegation key, beside those of any signature. Source: identity 6. */
const delegationFieldNames = ['skoid', 'sktid', 'skt', 'ske', 'sks', 'skv', 'skdutid', 'sduoid'] as const;

type DelegationFields = Readonly<Record<(typeof delegationFieldNames)[number], string>>;

/** Whether the query of a request has a signature by a user delegation key. */
export function isDelegated(query: Query): boolean {
  return query.has('skoid') && query.has('sig');
}

/** Whether such a signature is bound to a user, whose token the request must have, too. */
export function isBoundToUser(query: Query): boolean {
  return isDelegated(query) && query.has('sduoid');
}

/**
 * Checks a shared access signature by a user delegation key: fields, signature, times of signature and key, protocol, caller, user.
 * `authorize` checks later whether the signature and the roles of the identity behind it permit the operation. `user` is the sender
 * by the token of the request, if it has one.
 *
 * Errors: AuthenticationFailed, AuthorizationProtocolMismatch, AuthorizationSourceIPMismatch. Source: identity 6.
 */
export function checkDelegationSignature(
  context: SignatureContext,
  authority: TokenAuthority,
  user: Principal | undefined,
): Identity {
  const { query, account } = context.address;
  const names = [...signatureFieldNames, ...delegationFieldNames];
  if (names.some((name) => query.isRepeated(name))) throw failed();
  const fields = readSignatureFields(query);
  const delegation = Object.fromEntries(
    delegationFieldNames.map((name) => [name, query.get(name) ?? '']),
  ) as unknown as DelegationFields;
  const { sig: _, ...signed } = fields;
  checkLines([...Object.values(signed), ...Object.values(delegation)]);
  checkForm(fields, delegation);

  const text = delegationStringToSign(fields, delegation, account);
  const value = authority.delegationValue({
    ...{ account, objectId: delegation.skoid, tenant: delegation.sktid, start: delegation.skt, expiry: delegation.ske },
    ...{ service: delegation.sks, version: delegation.skv, delegatedTenant: delegation.skdutid },
  });
  if (!isSignedBy(fields.sig, text, [new SigningKey(value.toString('base64'))])) {
    throw new TableError('AuthenticationFailed', { evidence: () => ({ check: 'signed-text', texts: [text] }) });
  }
  checkTimes({ st: delegation.skt, se: delegation.ske }, context.now);
  checkTimes(fields, context.now);
  checkCaller(fields, context);
  checkUser(delegation, user);
  return {
    kind: 'table-signature',
    version: fields.sv,
    table: lowerAscii(fields.tn),
    permissions: fields.sp,
    range: readSignedRange(fields),
    delegator: authority.principalOf({ objectId: delegation.skoid, tenant: delegation.sktid }),
  };
}

function checkForm(fields: SignatureFields, { sks, skv }: DelegationFields): void {
  const { sv, tn, sp, si, ss, srt, spk, epk, srk, erk } = fields;
  const oldest = protocolVersions.userDelegation;
  const isNewEnough = [sv, skv].every((version) => isVersion(version) && version >= oldest);
  const isOfTable = tn !== '' && sp !== '' && si === '' && ss === '' && srt === '' && sks === 't';
  // A row key needs a partition key. Source: auth 2.
  const hasPartitions = (srk === '' || spk !== '') && (erk === '' || epk !== '');
  if (!isNewEnough || !isOfTable || !hasPartitions) throw failed();
}

/** Returns the text that such a signature signs: one field per line, without a line end after the last. Source: identity 6. */
export function delegationStringToSign(fields: SignatureFields, delegation: DelegationFields, account: string): string {
  const { sp, st, se, sip, spr, sv, tn, spk, srk, epk, erk } = fields;
  const { skoid, sktid, skt, ske, sks, skv, skdutid, sduoid } = delegation;
  const resource = `/table/${account}/${lowerAscii(tn)}`;
  const key = [skoid, sktid, skt, ske, sks, skv, skdutid, sduoid];
  return [sp, st, se, resource, ...key, sip, spr, sv, spk, srk, epk, erk].join('\n');
}

/** Checks that a signature for a user comes with a token of that user, by default of the key's tenant. Source: identity 6. */
function checkUser({ sktid, sduoid, skdutid }: DelegationFields, user: Principal | undefined): void {
  if (sduoid === '') return;
  const sameGuid = (one: string, other: string) => lowerAscii(one) === lowerAscii(other);
  const isUser = user && sameGuid(user.objectId, sduoid) && sameGuid(user.tenant, skdutid === '' ? sktid : skdutid);
  if (!isUser) throw failed();
}

function failed(): TableError {
  return new TableError('AuthenticationFailed');
}
