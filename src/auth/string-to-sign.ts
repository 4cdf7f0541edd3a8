import type { Query } from '../address/query.js';

/** The fields of a shared access signature as sent; empty where they were not. Source: auth, section 2. */
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
  /** The keys of a range may be empty and yet there. */
  readonly spk: string | undefined;
  readonly srk: string | undefined;
  readonly epk: string | undefined;
  readonly erk: string | undefined;
}

/** Reads the fields of a signature out of a query. */
export function readSignatureFields(query: Query): SignatureFields {
  const field = (name: string) => query.get(name) ?? '';
  return {
    sv: field('sv'),
    // Base64 has no blanks; one stands for a plus that its maker did not encode.
    sig: field('sig').replaceAll(' ', '+'),
    sp: field('sp'),
    st: field('st'),
    se: field('se'),
    sip: field('sip'),
    spr: field('spr'),
    si: field('si'),
    ss: field('ss'),
    srt: field('srt'),
    ses: field('ses'),
    tn: field('tn'),
    spk: query.get('spk'),
    srk: query.get('srk'),
    epk: query.get('epk'),
    erk: query.get('erk'),
  };
}

/** What an account signature signs: one line a field, the last one ended too. Source: auth 2.1. */
export function accountStringToSign(fields: SignatureFields, account: string): string {
  const { sp, ss, srt, st, se, sip, spr, sv, ses } = fields;
  const lines = [account, sp, ss, srt, st, se, sip, spr, sv];
  if (sv >= '2020-12-06') lines.push(ses);
  return `${lines.join('\n')}\n`;
}

/** What a table signature signs: one line a field, the last one not ended. Source: auth 2.2. */
export function tableStringToSign(fields: SignatureFields, account: string): string {
  const { sp, st, se, si, sip, spr, sv, tn, spk = '', srk = '', epk = '', erk = '' } = fields;
  const resource = `${sv >= '2015-02-21' ? '/table' : ''}/${account}/${tn.toLowerCase()}`;
  const callers = sv >= '2015-04-05' ? [sip, spr] : [];
  return [sp, st, se, resource, si, ...callers, sv, spk, srk, epk, erk].join('\n');
}
