import type { Address } from '../address/parse-address.js';
import type { Query } from '../address/query.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import type { RejectionEvidence } from '../protocol/rejection-evidence.js';
import { readDateTime } from '../protocol/values/date-time.js';
import { isVersion, signatureVersions } from '../protocol/versions.js';
import { isWithinAddresses } from './address-range.js';
import type { Identity, SignedKeyRange } from './identity.js';
import { type AccountKeys, isSignedBy } from './signing-key.js';
import {
  accountStringToSign,
  readSignatureFields,
  type SignatureFields,
  signatureFieldNames,
  tableStringToSign,
} from './string-to-sign.js';

/** The request, keys and policies that a signature is checked against. */
export interface SignatureContext {
  readonly address: Address;
  readonly keys: AccountKeys;
  readonly scheme: 'http' | 'https';
  readonly caller: string;
  /** Unit: milliseconds since 1970. */
  readonly now: number;
  /** Returns the stored access policies of a table, or undefined if the table does not exist. */
  policies(table: string): readonly AccessPolicy[] | undefined | Promise<readonly AccessPolicy[] | undefined>;
}

/** Returns whether the query of a request contains a shared access signature. */
export function hasSignature(query: Query): boolean {
  return query.has('sig');
}

/**
 * Returns the version in which a request with a signature is answered: `api-version`, else the header (`named`), else
 * the version of the signature. The header is ignored for signatures of the two oldest versions.
 * Source: operations 2.1.
 */
export function signedVersion(query: Query, named: string | undefined): string | undefined {
  const sv = query.get('sv');
  // An `sv` that is not a version makes the signature invalid, not the version of the request.
  const signature = sv !== undefined && isVersion(sv) ? sv : undefined;
  const headerCounts = signature === undefined || signature >= signatureVersions.headerCounts;
  return query.get('api-version') ?? (headerCounts ? named : undefined) ?? signature;
}

/**
 * Checks a shared access signature, in this order: fields, stored policy, signature, times, protocol, caller, service.
 * `authorize` checks later whether it permits the operation.
 *
 * Errors: AuthenticationFailed, which names no reason and also covers a repeated field; AuthorizationProtocolMismatch;
 * AuthorizationSourceIPMismatch; AuthorizationServiceMismatch; InvalidQueryParameterValue for a field that is in both
 * the query and the policy. Source: checks-order 3.
 */
export async function checkSharedAccessSignature(context: SignatureContext): Promise<Identity> {
  const { query } = context.address;
  if (signatureFieldNames.some((name) => query.isRepeated(name))) throw failed();
  const fields = readSignatureFields(query);
  const { sig: _, ...signed } = fields;
  checkLines(Object.values(signed));
  const isTable = fields.tn !== '';
  const first = isTable ? signatureVersions.tableSignature : signatureVersions.accountSignature;
  if (!isVersion(fields.sv) || fields.sv < first) throw failed();
  if (!isTable && (fields.ss === '' || fields.srt === '')) throw failed();
  const granted = fields.si === '' ? fields : await withPolicy(fields, context);
  if (granted.sp === '') throw failed();
  // A row key needs a partition key. Source: auth 2.
  if (isTable && ((fields.srk !== '' && fields.spk === '') || (fields.erk !== '' && fields.epk === ''))) throw failed();

  const { account } = context.address;
  const text = isTable ? tableStringToSign(fields, account) : accountStringToSign(fields, account);
  if (!isSignedBy(fields.sig, text, context.keys)) throw failed(() => ({ check: 'signed-text', texts: [text] }));
  checkTimes(granted, context.now);
  checkCaller(fields, context);
  if (!isTable) {
    if (!fields.ss.includes('t')) throw new TableError('AuthorizationServiceMismatch');
    return { kind: 'account-signature', version: fields.sv, resourceTypes: fields.srt, permissions: granted.sp };
  }
  return {
    kind: 'table-signature',
    version: fields.sv,
    table: lowerAscii(fields.tn),
    permissions: granted.sp,
    range: readSignedRange(fields),
  };
}

/**
 * Returns the range of keys that a signature is limited to. An empty field leaves its end open, because it gives the same
 * signature as an absent one.
 */
export function readSignedRange({ spk, srk, epk, erk }: SignatureFields): SignedKeyRange {
  return {
    ...(spk !== '' && { from: { partitionKey: spk, ...(srk !== '' && { rowKey: srk }), side: 'before' } }),
    ...(epk !== '' && { to: { partitionKey: epk, ...(erk !== '' && { rowKey: erk }), side: 'after' } }),
  };
}

/**
 * Checks that no field contains a line end. The signed text has one field per line, so with a line end in a field the
 * same signature would be valid for other fields. Keys of entities cannot contain line ends either.
 */
export function checkLines(signed: readonly string[]): void {
  if (signed.some((value) => value.includes('\n'))) throw failed();
}

function failed(evidence?: () => RejectionEvidence): TableError {
  return new TableError('AuthenticationFailed', { evidence });
}

/** Returns the fields completed from the stored policy. A field may be in the query or in the policy, not both. Source: auth 2.4. */
async function withPolicy(fields: SignatureFields, context: SignatureContext): Promise<SignatureFields> {
  if (fields.tn === '') throw failed();
  const policy = (await context.policies(fields.tn))?.find(({ id }) => id === fields.si);
  if (!policy) throw failed();
  const merge = (sent: string, stored: string | undefined) => {
    if (sent !== '' && stored !== undefined) {
      throw new TableError('InvalidQueryParameterValue', { variant: { name: 'policy-field-repeated' } });
    }
    return sent || (stored ?? '');
  };
  return {
    ...fields,
    st: merge(fields.st, policy.start),
    se: merge(fields.se, policy.expiry),
    sp: merge(fields.sp, policy.permission),
  };
}

/** Checks that now is within the times of a signature. Errors: AuthenticationFailed. */
export function checkTimes({ st, se }: Pick<SignatureFields, 'st' | 'se'>, now: number): void {
  const start = st === '' ? Number.NEGATIVE_INFINITY : readSignedTime(st);
  if (!(start <= now && now < readSignedTime(se))) {
    throw failed(() => ({ check: 'signature-times', start: st, expiry: se, now }));
  }
}

/**
 * Reads the start or the expiry of a signature. Returns milliseconds since 1970, truncated, or NaN if the text is empty or not a
 * date. Every comparison with NaN fails.
 */
export function readSignedTime(text: string): number {
  const reading = readDateTime(text);
  return 'text' in reading ? Date.parse(reading.text) : Number.NaN;
}

/** Checks protocol and address of the caller. Errors: AuthorizationProtocolMismatch, AuthorizationSourceIPMismatch. */
export function checkCaller(
  { spr, sip }: Pick<SignatureFields, 'spr' | 'sip'>,
  { scheme, caller: address }: Pick<SignatureContext, 'scheme' | 'caller'>,
): void {
  checkProtocol(spr, scheme);
  if (sip === '' || isWithinAddresses(sip, address)) return;
  throw new TableError('AuthorizationSourceIPMismatch', { variant: { name: 'caller-address', address } });
}

function checkProtocol(spr: string, scheme: 'http' | 'https'): void {
  if (spr === '' || spr === 'https,http') return;
  if (spr !== 'https') throw failed();
  if (scheme !== 'https') throw new TableError('AuthorizationProtocolMismatch');
}
