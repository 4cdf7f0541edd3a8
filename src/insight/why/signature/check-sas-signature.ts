import { createHmac } from 'node:crypto';
import { accountStringToSign, type SignatureFields, tableStringToSign } from '../../../auth/string-to-sign.js';
import type { Account } from '../../../protocol/access/accounts.js';
import { lowerAscii } from '../../../protocol/names.js';
import type { CheckedParameter } from './explain-signature.js';
import { keyAsText, otherAccount } from './signed-text.js';

/**
 * Checks whether a shared access signature is that of its parameters, and finds the mistake if it is not. The value of the
 * signature is not in the result.
 */
export function checkSasSignature(
  fields: SignatureFields,
  account: string,
  accounts: readonly Account[],
): CheckedParameter {
  const own = accounts.find(({ name }) => name === account)?.keys ?? [];
  const text = fields.tn === '' ? accountStringToSign(fields, account) : tableStringToSign(fields, account);
  const isSigned = (sig: string, key: Buffer, signed = text) =>
    createHmac('sha256', key).update(signed).digest('base64') === sig;
  const matches = (sig: string, signed = text) => own.some((key) => isSigned(sig, Buffer.from(key, 'base64'), signed));
  const holds = matches(fields.sig);
  const at = (fault: NonNullable<CheckedParameter['fault']>): CheckedParameter => ({
    name: 'sig',
    value: '…',
    holds: false,
    fault,
  });
  if (holds) return { name: 'sig', value: '…', holds };
  if (fields.sig.includes('%') && matches(decodeOnce(fields.sig))) return at(encodedTwice);
  if (own.some((key) => isSigned(fields.sig, Buffer.from(key)))) return at(keyAsText);
  const others = accounts.filter(({ name }) => name !== account).flatMap(({ keys }) => keys);
  if (others.some((key) => isSigned(fields.sig, Buffer.from(key, 'base64')))) return at(otherAccount);
  if (matches(fields.sig, text.trimEnd())) return at(lineEndMissing);
  if (fields.tn !== '' && matches(fields.sig, text.replace(`/${lowerAscii(fields.tn)}`, `/${fields.tn}`)))
    return at(tableCase);
  if (fields.tn !== '' && matches(fields.sig, text.replace('/table/', '/'))) return at(serviceMissing);
  return at({
    cause: 'sas-changed',
    text: 'The signature does not match these parameters: one was changed after signing, or the key is wrong.',
    advice: 'Create a new signature, such as with the command sas.',
  });
}

const encodedTwice = {
  cause: 'sas-encoded-twice',
  text: 'The signature was percent-encoded twice.',
  advice: 'Put the query into the URL as it is, without encoding it again.',
};
const lineEndMissing = {
  cause: 'line-end-missing',
  text: 'The account signature was computed without the line feed after the last line.',
  advice: 'End the last line with a line feed, too.',
};
const tableCase = {
  cause: 'table-letter-case',
  text: 'The name of the table was signed in the letter case of tn.',
  advice: 'Sign the name of the table in lower case.',
};
const serviceMissing = {
  cause: 'service-missing',
  text: 'The resource was signed without /table in front of the account.',
  advice: 'Sign /table/, the account, a slash and the table.',
};

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
