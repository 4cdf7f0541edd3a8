import { SigningKey } from './signing-key.js';
import { accountStringToSign, type SignatureFields, tableStringToSign } from './string-to-sign.js';

/** What a shared access signature is to allow; fields as in the query, absent ones left out. Source: auth, section 2. */
export type SignatureRequest = Partial<Omit<SignatureFields, 'sig' | 'sv'>>;

/** The version our own signatures are made for: the newest whose form clients agree on. */
const signatureVersion = '2019-02-02';

/**
 * Makes a shared access signature: a table's where `tn` is given, else the account's.
 * Returns the query, percent-encoded, without a question mark.
 */
export function createSignature(request: SignatureRequest, account: string, key: string): string {
  const { sp = '', st = '', se = '', sip = '', spr = '', si = '', ss = '', srt = '', ses = '', tn = '' } = request;
  const { spk = '', srk = '', epk = '', erk = '' } = request;
  const fields: SignatureFields = {
    ...{ sv: signatureVersion, sig: '', sp, st, se, sip, spr, si, ss, srt, ses, tn },
    ...{ spk, srk, epk, erk },
  };
  const text = tn === '' ? accountStringToSign(fields, account) : tableStringToSign(fields, account);
  const sig = new SigningKey(key).sign(text).toString('base64');
  return Object.entries({ ...fields, sig })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
