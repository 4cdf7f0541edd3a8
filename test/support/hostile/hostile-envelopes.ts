const bytesMax = 4 * 1024 * 1024;

/** A hostile body of a batch. */
export interface HostileEnvelope {
  readonly name: string;
  readonly body: string;
  readonly contentType: string;
}

/** Repeats a text up to the maximum size of a body. */
function fill(text: string, head = '', tail = ''): string {
  const freeBytes = bytesMax - Buffer.byteLength(head + tail);
  return head + text.repeat(Math.floor(freeBytes / Buffer.byteLength(text))) + tail;
}

const mime = 'Content-Type: application/http\r\n\r\n';
const insert = 'POST /T HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"PartitionKey":"p","RowKey":"r"}\r\n';
const typed = (type: string) => `--b\r\nContent-Type: ${type}\r\n\r\n`;
const inSet = (...parts: string[]) =>
  `${typed('multipart/mixed; boundary=c')}--c\r\n${parts.join('--c\r\n')}--c--\r\n--b--\r\n`;

const bodies: readonly (readonly [name: string, body: string, boundary?: string])[] = [
  ['only a delimiter', '--b'],
  ['delimiters on one line', fill('--b')],
  ['dashes under a boundary of dashes', fill('-'), '-'.repeat(70)],
  ['dashes under a boundary that ends in a thousand', fill('-'), `x${'-'.repeat(1000)}`],
  ['delimiters', fill('--b\r\n')],
  ['delimiters that end it', fill('--b--')],
  ['delimiters and a letter each', fill('--b x\r\n')],
  ['line ends', fill('\r\n', '--b\r\n', '--b--')],
  ['lines of a blank', fill('\n ', '--b\r\n', '--b--')],
  ['blanks within a header', fill(' ', '--b\r\nA: b\r\n', 'x\r\n--b--')],
  ['endless headers', fill('X: y\r\n', '--b\r\n')],
  ['an endless header', fill('y', '--b\r\nX: ')],
  ['an endless header name', fill('y', '--b\r\n')],
  ['a type that only begins like multipart/mixed', `${typed('multipart/mixed-up; boundary=c')}--c\r\n--c--\r\n--b--`],
  ['a type without boundary', `${typed('multipart/mixed')}--c\r\n${mime}${insert}--c--\r\n--b--`],
  ['a type with an empty boundary', `${typed('multipart/mixed; boundary=""')}--\r\n${mime}${insert}----\r\n--b--`],
  ['a type of parameters', fill(' boundary', '--b\r\nContent-Type: multipart/mixed;', '\r\n\r\n--b--')],
  ['a type of quotes', fill(' boundary="', '--b\r\nContent-Type: multipart/mixed;', '\r\n\r\n--b--')],
  ['a type of blanks', fill(' ', '--b\r\nContent-Type: multipart/mixed; boundary', '"\r\n\r\n--b--')],
  ['a boundary as long as the body', fill('-', '--b\r\nContent-Type: multipart/mixed; boundary=x', '\r\n\r\n--b--')],
  ['a request line of letters', fill('A', `--b\r\n${mime}`, '\r\n--b--')],
  ['a request line of blanks', fill(' ', `--b\r\n${mime}GET`, '\r\n--b--')],
  ['a request line of words', fill('x ', `--b\r\n${mime}GET `, '\r\n--b--')],
  ['a part without headers', inSet(insert)],
  ['a part without blank line', inSet(`Content-Type: application/http\r\n${insert}`)],
  ['a part that is not a request', inSet(`${mime}HTTP/1.1 200 OK\r\n\r\n`)],
  [
    'a change set within a change set',
    inSet(`Content-Type: multipart/mixed; boundary=d\r\n\r\n--d\r\n${insert}--d--\r\n`),
  ],
  [
    'a change set with the boundary of the batch',
    `${typed('multipart/mixed; boundary=b')}--b\r\n${mime}${insert}--b--\r\n`,
  ],
  ['a change set that never ends', fill(`--c\r\n${mime}${insert}`, typed('multipart/mixed; boundary=c'))],
  ['two change sets', `${inSet(mime + insert).slice(0, -7)}${inSet(mime + insert)}`],
  ['characters of every width', fill('\u0000é\u2028\ufeff\uffff', '--b\r\n', '--b--')],
];

const bodiesWithoutBoundary: typeof bodies = [
  ['nothing at all', ''],
  ['text without a delimiter', fill('x')],
  ['dashes', fill('-')],
  ['boundaries with the same beginning', fill('--bx\r\n')],
  ['control characters', fill(Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join(''))],
];

function envelopesOf(named: typeof bodies): HostileEnvelope[] {
  return named.map(([name, body, boundary = 'b']) => ({
    name,
    body,
    contentType: `multipart/mixed; boundary=${boundary}`,
  }));
}

/** Bodies that must be rejected as a whole, quickly. Their type is `multipart/mixed` with boundary `b` or their own. */
export const hostileEnvelopes: readonly HostileEnvelope[] = envelopesOf(bodies);

/** Bodies in which no operation can be found, because their boundary is not in them. */
export const envelopesWithoutBoundary: readonly HostileEnvelope[] = envelopesOf(bodiesWithoutBoundary);
