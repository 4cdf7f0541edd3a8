import { createHmac } from 'node:crypto';
import type { Account } from '../../../protocol/access/accounts.js';
import type { Explanation } from '../../../protocol/explanation.js';
import { lowerAscii } from '../../../protocol/names.js';
import {
  decodedPath,
  keyAsText,
  type Mistake,
  otherAccount,
  type SignedMaterial,
  type SignedText,
  type SigningMistake,
  writeSignedText,
} from './signed-text.js';

const asSent = 'Sign the path exactly as sent.';

/** The mistakes, most frequent first: the first that reproduces the client's signature is the cause. */
export const signingMistakes: readonly SigningMistake[] = [
  {
    cause: 'account-once',
    text: 'The signed path contains the account once, but the account is also in the URL path.',
    advice: 'Sign a slash, the account, and then the whole URL path, which starts with the account again.',
    apply: (right, { account, path }) => (path.startsWith(`/${account}/`) ? { ...right, resource: path } : undefined),
  },
  {
    cause: 'account-twice',
    text: 'The signed path contains the account twice, but the account is in the host, not in the URL path.',
    advice: 'Sign a slash, the account, and then the URL path.',
    apply: (right, { account }) => ({ ...right, resource: `/${account}${right.resource}` }),
  },
  {
    cause: 'scheme-swapped',
    text: 'The request was signed with one of SharedKey and SharedKeyLite, but the header names the other.',
    advice:
      'SharedKey signs the verb, Content-MD5, Content-Type, the date and the resource; SharedKeyLite signs the date and the resource.',
    apply: (right, { header }) => {
      const isLite = right.method === undefined;
      const lines = { contentMd5: header('content-md5') ?? '', contentType: header('content-type') ?? '' };
      return isLite
        ? { ...right, method: header(':method'), ...lines }
        : { ...right, method: undefined, contentMd5: undefined, contentType: undefined };
    },
  },
  {
    cause: 'other-date',
    text: 'The wrong date was signed: x-ms-date takes precedence over Date.',
    advice: 'Sign the value of x-ms-date if you send it.',
    apply: (right, { header }) => {
      const other = header('date');
      return other === undefined || other === right.date ? undefined : { ...right, date: other };
    },
  },
  {
    cause: 'date-empty',
    text: 'An empty date was signed, as blobs require with x-ms-date.',
    advice: 'Tables sign the value of x-ms-date on the date line.',
    apply: (right) => ({ ...right, date: '' }),
  },
  {
    cause: 'content-type-empty',
    text: 'An empty Content-Type was signed, but the request has one.',
    advice: 'Sign the Content-Type as sent. Some HTTP libraries add one after signing.',
    apply: (right) => (right.contentType ? { ...right, contentType: '' } : undefined),
  },
  {
    cause: 'content-type-default',
    text: 'The signed Content-Type is application/json, but the request has a different one or none.',
    advice: 'Sign the Content-Type as sent, including its parameters.',
    apply: (right) => withContentType(right, 'application/json'),
  },
  {
    cause: 'content-type-parameters',
    text: 'The Content-Type was signed without its parameters.',
    advice: 'Sign the Content-Type as sent, including its parameters.',
    apply: (right) => withContentType(right, right.contentType?.split(';')[0]?.trim()),
  },
  {
    cause: 'content-md5',
    text: 'The Content-MD5 was signed as empty, but the request has one.',
    advice: 'Sign the Content-MD5 as sent.',
    apply: (right) => (right.contentMd5 ? { ...right, contentMd5: '' } : undefined),
  },
  {
    cause: 'comp-missing',
    text: 'The query parameter comp was not signed.',
    advice: 'After the path, sign ?comp= and its value, but nothing else from the query.',
    apply: (right) => (right.suffix === '' ? undefined : { ...right, suffix: '' }),
  },
  {
    cause: 'query-signed',
    text: 'The whole query was signed.',
    advice: 'Of the query, tables sign only comp.',
    apply: (right, { query }) => (query === '' ? undefined : { ...right, suffix: `?${query}` }),
  },
  {
    cause: 'verb-lower-case',
    text: 'The verb was signed in lower case.',
    advice: 'Sign the verb in upper case.',
    apply: (right) => (right.method === undefined ? undefined : { ...right, method: lowerAscii(right.method) }),
  },
  {
    cause: 'verb-missing',
    text: 'The verb was not signed.',
    advice: 'Start the string with the verb and a line feed.',
    apply: (right) => (right.method === undefined ? undefined : { ...right, method: undefined }),
  },
  {
    cause: 'line-end-after',
    text: 'A line feed was signed after the last line.',
    advice: 'The last line is the resource, without a line feed.',
    apply: (right) => ({ ...right, tail: '\n' }),
  },
  {
    cause: 'line-ends',
    text: 'The lines were joined with \\r\\n.',
    advice: 'Join the lines with \\n.',
    apply: (right) => ({ ...right, lineEnd: '\r\n' }),
  },
  {
    cause: 'host-signed',
    text: 'The host was signed in front of the path.',
    advice: 'Sign a slash, the account and the path, without scheme or host.',
    apply: (right, { host, path }) => ({ ...right, resource: `/${host}${path}` }),
  },
  {
    cause: 'path-decoded',
    text: 'The path was signed decoded, but sent percent-encoded.',
    advice: asSent,
    apply: (right) => withResource(right, decodedPath(right.resource)),
  },
  {
    cause: 'path-encoded',
    text: 'The path was signed percent-encoded, but sent differently.',
    advice: asSent,
    apply: (right) => withResource(right, encodeURI(decodedPath(right.resource))),
  },
  {
    cause: 'path-encoded-strictly',
    text: 'The path was signed with quotes and parentheses percent-encoded, but sent without.',
    advice: asSent,
    apply: (right) => withResource(right, strictlyEncoded(decodedPath(right.resource))),
  },
  {
    cause: 'path-lower-case',
    text: 'The path was signed in lower case.',
    advice: asSent,
    apply: (right) => withResource(right, lowerAscii(right.resource)),
  },
  ...[(date: string) => date, (date: string) => date.replace(/\.\d+/, '')].map(
    (write): SigningMistake => ({
      cause: 'date-format',
      text: 'The date was signed in ISO 8601, but sent in another format.',
      advice: 'Sign the header value exactly as sent.',
      apply(right) {
        const at = Date.parse(right.date ?? '');
        return Number.isNaN(at) ? undefined : { ...right, date: write(new Date(at).toISOString()) };
      },
    }),
  ),
  {
    cause: 'query-signed-as-blob',
    text: 'The query was signed as blobs require, one parameter per line.',
    advice: 'Of the query, tables sign only comp.',
    apply: (right, { query }) => (query === '' ? undefined : { ...right, suffix: blobQuery(query) }),
  },
  {
    cause: 'blob-headers',
    text: 'The x-ms- headers were signed, as blobs require.',
    advice: 'Tables sign the verb, Content-MD5, Content-Type, the date and the resource, but no other headers.',
    apply: signAsBlob,
  },
];

function withContentType(right: SignedText, type: string | undefined): SignedText | undefined {
  if (right.contentType === undefined || type === undefined || type === right.contentType) return undefined;
  return { ...right, contentType: type };
}

function withResource(right: SignedText, resource: string): SignedText | undefined {
  return resource === right.resource ? undefined : { ...right, resource };
}

function strictlyEncoded(path: string): string {
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}

/** Returns the string to sign for blobs and queues, as in Microsoft's page "Authorize with Shared Key". */
function signAsBlob(right: SignedText, { headerNames, header, query }: SignedMaterial): SignedText {
  const lines = (...names: string[]) => names.map((name) => header(name) ?? '');
  const length = header('content-length') ?? '';
  const own = headerNames.filter((name) => name.startsWith('x-ms-')).sort();
  // Lines that tables lack are appended to the part before them.
  return {
    ...right,
    method: [...lines(':method', 'content-encoding', 'content-language'), length === '0' ? '' : length].join('\n'),
    contentMd5: header('content-md5') ?? '',
    contentType: header('content-type') ?? '',
    date: ['', ...lines('if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range')]
      .concat(own.map((name) => `${name}:${header(name)?.trim() ?? ''}`))
      .join('\n'),
    suffix: query === '' ? '' : blobQuery(query),
  };
}

/** Blobs sign the query parameters sorted by name, one per line. */
function blobQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => decodedPath(pair).replace('=', ':'))
    .sort()
    .map((pair) => `\n${pair}`)
    .join('');
}

/** Longest text to search for mistakes. Unit: UTF-16 code units. (Our choice: trying all mistakes then takes about a millisecond.) */
const signedUnitsMax = 4096;

/**
 * Finds the client's signing mistake by making it: signs each known mistake with the keys of the account, until one reproduces the
 * signature of the request. Undefined if none does. The result contains no key and no signature.
 */
export function findSigningMistake(
  sent: string,
  right: SignedText,
  request: SignedMaterial,
  accounts: readonly Account[],
): Explanation | undefined {
  if (writeSignedText(right).length > signedUnitsMax) return undefined;
  const keysOf = (isMeant: (account: Account) => boolean) => accounts.filter(isMeant).flatMap(({ keys }) => keys);
  const own = keysOf(({ name }) => name === request.account);
  const others = keysOf(({ name }) => name !== request.account);
  const isSigned = (text: SignedText, keys: readonly string[], encoding: 'base64' | 'utf8' = 'base64') =>
    keys.some(
      (key) => createHmac('sha256', Buffer.from(key, encoding)).update(writeSignedText(text)).digest('base64') === sent,
    );

  if (isSigned(right, own, 'utf8')) return describe(keyAsText, right, right);
  if (isSigned(right, others)) return describe(otherAccount, right, right);
  for (const { apply, ...mistake } of signingMistakes) {
    const text = apply(right, request);
    if (text && isSigned(text, own)) return describe(mistake, right, text);
  }
  return undefined;
}

function describe(mistake: Mistake, right: SignedText, signed: SignedText): Explanation {
  const expected = writeSignedText(right);
  const actual = writeSignedText(signed).replace(otherHeader, '$1…');
  return {
    ...mistake,
    details: [
      { name: 'string to sign', value: expected },
      ...(actual === expected ? [] : [{ name: 'string that was signed', value: actual, holds: false }]),
    ],
  };
}

/** Matches a signed header that only blobs sign. Some of these headers carry keys. */
const otherHeader = /^(x-ms-(?!date:|version:|client-request-id:)[^:\n]*:).*$/gm;
