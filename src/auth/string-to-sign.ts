import type { Query } from '../address/query.js';
import { lowerAscii } from '../protocol/names.js';
import { signatureVersions } from '../protocol/versions.js';

/**
 * The fields of a shared access signature. An absent field is an empty text here: both give the same signature, so the
 * holder of a URL can replace one with the other. Source: auth 2.
 */
export interface SignatureFields {
  readonly sv: string;
  readonly sig: string;
  readonly sp: string;
  readonly st: string;
  readonly se: string;
  readonly sip: string;
  readonly spr: string;
  readonly si: string;
  readonly ss: string;
  readonly srt: string;
  readonly ses: string;
  readonly tn: string;
  readonly spk: string;
  readonly srk: string;
  readonly epk: string;
  readonly erk: string;
}

/** The names of all fields of a signature in a query. Source: auth 2. */
export const signatureFieldNames = [
  'sv',
  'sig',
  'sp',
  'st',
  'se',
  'sip',
  'spr',
  'si',
  'ss',
  'srt',
  'ses',
  'tn',
  'spk',
  'srk',
  'epk',
  'erk',
] as const satisfies readonly (keyof SignatureFields)[];

/**
 * Reads the fields of a signature from a query. `sip` and `spr` are ignored in versions that do not sign them, because
 * the holder of the URL could remove them.
 */
export function readSignatureFields(query: Query): SignatureFields {
  const field = (name: string) => query.get(name) ?? '';
  const sv = field('sv');
  const signsCaller = sv >= signatureVersions.callerSigned;
  return {
    sv,
    // Base64 has no blanks. A blank is a plus that the client did not percent-encode.
    sig: field('sig').replaceAll(' ', '+'),
    sp: field('sp'),
    st: field('st'),
    se: field('se'),
    sip: signsCaller ? field('sip') : '',
    spr: signsCaller ? field('spr') : '',
    si: field('si'),
    ss: field('ss'),
    srt: field('srt'),
    ses: field('ses'),
    tn: field('tn'),
    spk: field('spk'),
    srk: field('srk'),
    epk: field('epk'),
    erk: field('erk'),
  };
}

/** Returns the text that an account signature signs: one field per line, with a line end after the last. Source: auth 2.1. */
export function accountStringToSign(fields: SignatureFields, account: string): string {
  const { sp, ss, srt, st, se, sip, spr, sv, ses } = fields;
  const lines = [account, sp, ss, srt, st, se, sip, spr, sv];
  if (sv >= signatureVersions.encryptionScopeSigned) lines.push(ses);
  return `${lines.join('\n')}\n`;
}

/** Returns the text that a table signature signs: one field per line, without a line end after the last. Source: auth 2.2. */
export function tableStringToSign(fields: SignatureFields, account: string): string {
  const { sp, st, se, si, sip, spr, sv, tn, spk, srk, epk, erk } = fields;
  const resource = `${sv >= signatureVersions.serviceNamed ? '/table' : ''}/${account}/${lowerAscii(tn)}`;
  const callers = sv >= signatureVersions.callerSigned ? [sip, spr] : [];
  return [sp, st, se, resource, si, ...callers, sv, spk, srk, epk, erk].join('\n');
}
