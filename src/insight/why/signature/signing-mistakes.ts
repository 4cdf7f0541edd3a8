import { lowerAscii } from '../../../protocol/names.js';
import { blobMistakes } from './blob-mistakes.js';
import { dateMistakes } from './date-mistakes.js';
import { pathMistakes } from './path-mistakes.js';
import { proxyMistakes } from './proxy-mistakes.js';
import type { SignedText, SigningMistake } from './signed-text.js';

/** The MD5 of no bytes in base64. The MD5 of another body is not known: a signature is checked before the body is read. */
const md5OfNothing = '1B2M2Y8AsgTpgAmy7PhCfg==';

/** The mistakes, most frequent first: the first that reproduces the signature of the client is the cause. */
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
    cause: 'content-md5-of-nothing',
    text: 'The Content-MD5 of an empty body was signed, but the request has no Content-MD5.',
    advice: 'Send the Content-MD5 that you sign, or sign an empty one.',
    isAlone: true,
    apply: (right) => (right.contentMd5 === '' ? { ...right, contentMd5: md5OfNothing } : undefined),
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
  ...pathMistakes,
  ...proxyMistakes,
  ...dateMistakes,
  ...blobMistakes,
];

function withContentType(right: SignedText, type: string | undefined): SignedText | undefined {
  if (right.contentType === undefined || type === undefined || type === right.contentType) return undefined;
  return { ...right, contentType: type };
}
