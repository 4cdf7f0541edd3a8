/** The parts of the text that Shared Key signs, in their order. An absent part has no line. Source: auth 1. */
export interface SignedText {
  readonly method: string | undefined;
  readonly contentMd5: string | undefined;
  readonly contentType: string | undefined;
  readonly date: string | undefined;
  /** The account and the path, without the query. */
  readonly resource: string;
  /** What of the query is signed, with its question mark. */
  readonly suffix: string;
  /** Between the lines. */
  readonly lineEnd: string;
  /** After the last line. */
  readonly tail: string;
}

/** What a request has that a client may have signed by mistake. */
export interface SignedMaterial {
  readonly account: string;
  /** The path as sent. */
  readonly path: string;
  /** The query as sent, without its question mark. */
  readonly query: string;
  readonly host: string;
  /** Returns a header of the request. */
  readonly header: (name: string) => string | undefined;
}

/** A mistake that clients make when they sign, and how the signed text then differs. */
export interface SigningMistake {
  readonly cause: string;
  readonly text: string;
  readonly advice: string;
  /** Returns the text as a client with this mistake signs it; undefined if the mistake makes no difference. */
  readonly apply: (right: SignedText, request: SignedMaterial) => SignedText | undefined;
}

/** The mistakes, most frequent first: the first that reproduces the signature of the client is the cause. */
export const signingMistakes: readonly SigningMistake[] = [
  {
    cause: 'account-once',
    text: 'The signed path has the account once, but the account is also in the path of the URL.',
    advice: 'Sign a slash, the account, and then the whole path of the URL, which begins with the account again.',
    apply: (right, { account, path }) => (path.startsWith(`/${account}/`) ? { ...right, resource: path } : undefined),
  },
  {
    cause: 'account-twice',
    text: 'The signed path has the account twice, but the account is in the host, not in the path of the URL.',
    advice: 'Sign a slash, the account, and then the path of the URL.',
    apply: (right, { account }) => ({ ...right, resource: `/${account}${right.resource}` }),
  },
  {
    cause: 'scheme-swapped',
    text: 'The header names one of SharedKey and SharedKeyLite, and the request was signed as the other one.',
    advice:
      'SharedKey signs verb, Content-MD5, Content-Type, date and resource; SharedKeyLite signs date and resource.',
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
    text: 'The signed date is not the one that counts: x-ms-date comes before Date.',
    advice: 'Sign the value of x-ms-date if you send it.',
    apply: (right, { header }) => {
      const other = header('date');
      return other === undefined || other === right.date ? undefined : { ...right, date: other };
    },
  },
  {
    cause: 'date-empty',
    text: 'An empty date was signed, as for blobs with x-ms-date.',
    advice: 'Tables sign the value of x-ms-date in the line of the date.',
    apply: (right) => ({ ...right, date: '' }),
  },
  {
    cause: 'date-format',
    text: 'The date was signed in another format than it was sent.',
    advice: 'Sign the very text of the header.',
    apply: (right) => {
      const at = Date.parse(right.date ?? '');
      return Number.isNaN(at) ? undefined : { ...right, date: new Date(at).toISOString() };
    },
  },
  {
    cause: 'content-type-empty',
    text: 'An empty Content-Type was signed, but the request has one.',
    advice: 'Sign the Content-Type as it is sent. Some HTTP libraries add one after the signing.',
    apply: (right) => (right.contentType ? { ...right, contentType: '' } : undefined),
  },
  {
    cause: 'content-type-default',
    text: 'The signed Content-Type is application/json, and the request has another one or none.',
    advice: 'Sign the Content-Type as it is sent, with its parameters.',
    apply: (right) => withContentType(right, 'application/json'),
  },
  {
    cause: 'content-type-parameters',
    text: 'The Content-Type was signed without its parameters.',
    advice: 'Sign the Content-Type as it is sent, with its parameters.',
    apply: (right) => withContentType(right, right.contentType?.split(';')[0]?.trim()),
  },
  {
    cause: 'content-md5',
    text: 'The Content-MD5 was signed as empty, but the request has one.',
    advice: 'Sign the Content-MD5 as it is sent.',
    apply: (right) => (right.contentMd5 ? { ...right, contentMd5: '' } : undefined),
  },
  {
    cause: 'comp-missing',
    text: 'The parameter comp of the query was not signed.',
    advice: 'Sign ?comp= and its value after the path; nothing else of the query.',
    apply: (right) => (right.suffix === '' ? undefined : { ...right, suffix: '' }),
  },
  {
    cause: 'query-signed',
    text: 'The whole query was signed.',
    advice: 'Tables sign nothing of the query but comp.',
    apply: (right, { query }) => (query === '' ? undefined : { ...right, suffix: `?${query}` }),
  },
  {
    cause: 'query-signed-as-blob',
    text: 'The query was signed as for blobs, one parameter on each line.',
    advice: 'Tables sign nothing of the query but comp.',
    apply: (right, { query }) => (query === '' ? undefined : { ...right, suffix: blobQuery(query) }),
  },
  {
    cause: 'path-decoded',
    text: 'The path was signed decoded, but sent percent-encoded.',
    advice: 'Sign the path exactly as it is sent.',
    apply: (right) => withResource(right, decoded(right.resource)),
  },
  {
    cause: 'path-encoded',
    text: 'The path was signed percent-encoded, but sent in other characters.',
    advice: 'Sign the path exactly as it is sent.',
    apply: (right) => withResource(right, encodeURI(decoded(right.resource))),
  },
  {
    cause: 'path-encoded-strictly',
    text: 'The path was signed with quotes and parentheses percent-encoded, but sent without.',
    advice: 'Sign the path exactly as it is sent.',
    apply: (right) => withResource(right, strictlyEncoded(decoded(right.resource))),
  },
  {
    cause: 'path-lower-case',
    text: 'The path was signed in lower case.',
    advice: 'Sign the path exactly as it is sent.',
    apply: (right) => withResource(right, right.resource.replace(/[A-Z]/g, toLower)),
  },
  {
    cause: 'verb-lower-case',
    text: 'The verb was signed in lower case.',
    advice: 'Sign the verb in capital letters.',
    apply: (right) =>
      right.method === undefined ? undefined : { ...right, method: right.method.replace(/[A-Z]/g, toLower) },
  },
  {
    cause: 'verb-missing',
    text: 'The verb was not signed.',
    advice: 'Begin the text with the verb and a line end.',
    apply: (right) => (right.method === undefined ? undefined : { ...right, method: undefined }),
  },
  {
    cause: 'line-end-after',
    text: 'A line end was signed after the last line.',
    advice: 'The last line is the resource, without a line end.',
    apply: (right) => ({ ...right, tail: '\n' }),
  },
  {
    cause: 'line-ends',
    text: 'The lines were signed with \\r\\n between them.',
    advice: 'Join the lines with \\n alone.',
    apply: (right) => ({ ...right, lineEnd: '\r\n' }),
  },
  {
    cause: 'host-signed',
    text: 'The host was signed in front of the path.',
    advice: 'Sign a slash, the account and the path, without scheme and host.',
    apply: (right, { host, path }) => ({ ...right, resource: `/${host}${path}` }),
  },
];

/** Returns the text that is signed. */
export function writeSignedText({
  method,
  contentMd5,
  contentType,
  date,
  resource,
  suffix,
  lineEnd,
  tail,
}: SignedText): string {
  const lines = [method, contentMd5, contentType, date, `${resource}${suffix}`];
  return lines.filter((line) => line !== undefined).join(lineEnd) + tail;
}

function withContentType(right: SignedText, type: string | undefined): SignedText | undefined {
  if (right.contentType === undefined || type === undefined || type === right.contentType) return undefined;
  return { ...right, contentType: type };
}

function withResource(right: SignedText, resource: string): SignedText | undefined {
  return resource === right.resource ? undefined : { ...right, resource };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function strictlyEncoded(path: string): string {
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}

/** Blobs sign the parameters of the query sorted by name, each on a line of its own. */
function blobQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => decoded(pair).replace('=', ':'))
    .sort()
    .map((pair) => `\n${pair}`)
    .join('');
}

function toLower(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 32);
}
