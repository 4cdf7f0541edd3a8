import { createHmac } from 'node:crypto';

/** The two schemes for signing a request with an account key. */
export type SigningScheme = 'SharedKey' | 'SharedKeyLite';

/** The signed parts of a request. */
export interface SignedParts {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** The value of `x-ms-date`, or of `Date` without it. */
  readonly date: string;
  readonly contentType?: string;
  readonly contentMd5?: string;
}

/** The scheme, the account and its key in base64. */
export interface Signer {
  readonly scheme: SigningScheme;
  readonly account: string;
  readonly key: string;
}

/**
 * Returns the signature of a request in base64. It is written independently of the server's code.
 * Source: auth 1.
 */
export function signatureOf(parts: SignedParts, { scheme, account, key }: Signer): string {
  const { method, target, date, contentType = '', contentMd5 = '' } = parts;
  const resource = canonicalResource(account, target);
  const text =
    scheme === 'SharedKeyLite'
      ? [date, resource].join('\n')
      : [method, contentMd5, contentType, date, resource].join('\n');
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
}

/** Returns the value of the `Authorization` header. */
export function authorizationOf(parts: SignedParts, signer: Signer): string {
  return `${signer.scheme} ${signer.account}:${signatureOf(parts, signer)}`;
}

function canonicalResource(account: string, target: string): string {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const comp = new URLSearchParams(query).get('comp');
  return `/${account}${path || '/'}${comp === null ? '' : `?comp=${comp}`}`;
}
