import { decodedPath, type SignedMaterial, type SignedText, type SigningMistake } from './signed-text.js';

const signedHeaders = {
  cause: 'blob-headers',
  text: 'The x-ms- headers were signed, as blobs require.',
  advice: 'Tables sign the verb, Content-MD5, Content-Type, the date and the resource, but no other headers.',
  isAlone: true,
} as const;

/** The mistakes of a client that signs as for blobs and queues, whose text Microsoft's page "Authorize with Shared Key" has. */
export const blobMistakes: readonly SigningMistake[] = [
  {
    cause: 'query-signed-as-blob',
    text: 'The query was signed as blobs require, one parameter per line.',
    advice: 'Of the query, tables sign only comp.',
    apply: (right, { query }) => (query === '' ? undefined : { ...right, suffix: blobQuery(query) }),
  },
  { ...signedHeaders, apply: (right, request) => withHeaders(right, request, right.date ?? '') },
  // With x-ms-date, the line of the date is empty.
  { ...signedHeaders, apply: (right, request) => withHeaders(right, request, '') },
  {
    ...signedHeaders,
    apply(right, request) {
      const { header, query } = request;
      const lines = (...names: string[]) => names.map((name) => header(name) ?? '');
      const length = header('content-length') ?? '';
      const signed = withHeaders(right, request, '');
      // Each line that tables do not have comes after the one before it, in the same part.
      return {
        ...signed,
        method: [signed.method, ...lines('content-encoding', 'content-language'), length === '0' ? '' : length].join(
          '\n',
        ),
        date: ['', ...lines('if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range')]
          .concat(canonicalHeaders(request))
          .join('\n'),
        suffix: query === '' ? '' : blobQuery(query),
      };
    },
  },
];

/** Returns the text with the headers between date and resource. The scheme Lite of blobs has all lines, too. */
function withHeaders(right: SignedText, request: SignedMaterial, date: string): SignedText {
  const { header } = request;
  return {
    ...right,
    method: header(':method'),
    contentMd5: header('content-md5') ?? '',
    contentType: header('content-type') ?? '',
    date: [date, ...canonicalHeaders(request)].join('\n'),
  };
}

/** Blobs sign all x-ms- headers sorted by name, each on a line of its own. */
function canonicalHeaders({ headerNames, header }: SignedMaterial): readonly string[] {
  const names = headerNames.filter((name) => name.startsWith('x-ms-')).sort();
  return names.map((name) => `${name}:${header(name)?.trim() ?? ''}`);
}

/** Blobs sign the parameters of the query sorted by name, each on a line of its own. */
function blobQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => decodedPath(pair).replace('=', ':'))
    .sort()
    .map((pair) => `\n${pair}`)
    .join('');
}
