import { signatureVersions } from '../protocol/versions.js';
import { SigningKey } from './signing-key.js';
import { accountStringToSign, type SignatureFields, tableStringToSign } from './string-to-sign.js';

/** The fields of a shared access signature, named as in its query. Absent fields are left out. Source: auth 2. */
export type SignatureRequest = Partial<Omit<SignatureFields, 'sig' | 'sv'>>;

/**
 * Creates a shared access signature: for a table if `tn` is given, otherwise for the account. `key` is in base64.
 * Returns the percent-encoded query without a question mark.
 */
export function createSignature(request: SignatureRequest, account: string, key: string): string {
  const { sp = '', st = '', se = '', sip = '', spr = '', si = '', ss = '', srt = '', ses = '', tn = '' } = request;
  const { spk = '', srk = '', epk = '', erk = '' } = request;
  const fields: SignatureFields = {
    ...{ sv: signatureVersions.default, sig: '', sp, st, se, sip, spr, si, ss, srt, ses, tn },
    ...{ spk, srk, epk, erk },
  };
  const text = tn === '' ? accountStringToSign(fields, account) : tableStringToSign(fields, account);
  const sig = new SigningKey(key).sign(text).toString('base64');
  return Object.entries({ ...fields, sig })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
