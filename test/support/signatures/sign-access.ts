import { createHmac } from 'node:crypto';
import { type Account, developmentAccount } from '../../../src/protocol/access/accounts.js';
import { externalService } from '../servers/external-service.js';

/** The fields of a shared access signature, by their names in the query. A table signature has `tn`. Source: auth 2. */
export interface AccessFields {
  readonly sv?: string;
  readonly sp?: string;
  readonly st?: string;
  readonly se?: string;
  readonly sip?: string;
  readonly spr?: string;
  readonly si?: string;
  readonly ss?: string;
  readonly srt?: string;
  readonly ses?: string;
  readonly tn?: string;
  readonly spk?: string;
  readonly srk?: string;
  readonly epk?: string;
  readonly erk?: string;
}

/** All permissions of an account signature. */
export const allOfAccount = 'rwdlacu';

/** All permissions of a table signature. */
export const allOfTable = 'raud';

/** Returns the instant this many hours from now in the format of signatures: UTC, whole seconds. */
export function hoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Returns the fields of an account signature that allows everything for an hour, changed by `fields`. */
export function accountAccess(fields: AccessFields = {}): AccessFields {
  return { sv: '2019-02-02', ss: 't', srt: 'sco', sp: allOfAccount, se: hoursFromNow(1), ...fields };
}

/** Returns the fields of a table signature that allows everything for an hour, changed by `fields`. */
export function tableAccess(tn: string, fields: AccessFields = {}): AccessFields {
  return { sv: '2019-02-02', tn, sp: allOfTable, se: hoursFromNow(1), ...fields };
}

/**
 * Returns the text to sign. It is written independently of the server's code.
 * Source: auth 2.1; auth 2.2.
 */
export function textToSign(fields: AccessFields, account: string): string {
  const line = (name: keyof AccessFields) => fields[name] ?? '';
  const version = line('sv');
  if (fields.tn === undefined) {
    const names = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv'] as const;
    const scope = version >= '2020-12-06' ? `${line('ses')}\n` : '';
    return `${account}\n${names.map((name) => `${line(name)}\n`).join('')}${scope}`;
  }
  const service = version < '2015-02-21' ? '' : '/table';
  const resource = `${service}/${account}/${fields.tn.toLowerCase()}`;
  const where = version < '2015-04-05' ? [] : [line('sip'), line('spr')];
  const keys = [line('spk'), line('srk'), line('epk'), line('erk')];
  return [line('sp'), line('st'), line('se'), resource, line('si'), ...where, version, ...keys].join('\n');
}

/** Returns the signature of a text in base64. */
export function signText(text: string, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
}

/** Returns a signed query, percent-encoded: every given field, then `sig`. */
export function signAccess(
  fields: AccessFields,
  { name, keys: [key = ''] }: Pick<Account, 'name' | 'keys'> = externalService?.account ?? developmentAccount,
): string {
  return writeAccess({ ...fields, sig: signText(textToSign(fields, name), key) });
}

/** Returns a query with these fields, percent-encoded. */
export function writeAccess(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

/** Appends a signed query to a path. */
export function withAccess(path: string, fields: AccessFields, account?: Pick<Account, 'name' | 'keys'>): string {
  return `${path}${path.includes('?') ? '&' : '?'}${signAccess(fields, account)}`;
}
