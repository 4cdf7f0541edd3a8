import { batchBoundary, insert, read, writeBare, writeChangeSet } from '../bodies/batch-tools.js';
import { signedHead } from '../clients/raw-connection.js';
import type { RunningService } from '../servers/start-service.js';

/** A place of a request that holds a text of the client. */
export interface TextPlace {
  readonly name: string;
  /** Longest text that fits there. Unit: UTF-16 code units, if each is one byte. */
  readonly unitsMax: number;
  /** Writes a whole request with a text in this place. */
  write(service: RunningService, text: string): Buffer;
}

/** A text in a request's head is shorter than the head may be, for escapes and the rest of it. */
const headUnits = 16 * 1024;
const bodyUnits = 1024 * 1024;

const request = (head: string, body = '') => Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);

/** Encodes what a request line cannot have. */
const inTarget = (text: string) =>
  text.replace(/[^!-~]/gu, (one) => (one === '\ufffd' ? '%FF' : Array.from(Buffer.from(one), encodeByte).join('')));
const encodeByte = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Leaves out what a header cannot have. Node.js reads it as Latin-1. */
const inHeader = (text: string) => text.replace(/[^\t -~\x80-\xff]/g, '').trim();

const target = (name: string, path: (text: string) => string): TextPlace => ({
  name: `the path ${path('…')}`.slice(0, 40) + name,
  unitsMax: headUnits,
  write: (service, text) => request(signedHead(service, 'GET', inTarget(path(text)), { Accept: '*/*' })),
});

const option = (name: string): TextPlace => ({
  name: `the option ${name}`,
  unitsMax: headUnits,
  write: (service, text) =>
    request(signedHead(service, 'GET', `/Rows()?${name}=${inTarget(text).replaceAll('&', '%26')}`)),
});

const headerOf = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  name: string,
): TextPlace => ({
  name: `${name} of ${method} ${path}`,
  unitsMax: headUnits * 3,
  write(service, text) {
    const body =
      method === 'GET' || method === 'OPTIONS' || method === 'DELETE' ? '' : '{"PartitionKey":"p","RowKey":"r"}';
    const length = body === '' ? {} : { 'Content-Length': String(body.length) };
    return request(signedHead(service, method, path, { ...headers, ...length, [name]: inHeader(text) }), body);
  },
});

/** How many units of a text each of many headers has. */
const pieceUnits = 48;

/** A text in pieces, each in a header of its own whose name has a number. */
const headersByNumber = (path: string, headers: Readonly<Record<string, string>>): TextPlace => ({
  name: `headers by number of GET ${path} with ${Object.keys(headers).join()}`,
  unitsMax: headUnits * 3,
  write(service, text) {
    const pieces = text.match(new RegExp(`[^]{1,${pieceUnits}}`, 'g')) ?? [];
    const numbered = Object.fromEntries(pieces.map((piece, at) => [`x-ms-${at}`, inHeader(piece)]));
    return request(signedHead(service, 'GET', path, { ...numbered, ...headers }));
  },
});

const bodyOf = (
  name: string,
  path: string,
  type: string,
  body: (text: string, service: RunningService) => string,
  method = 'POST',
  more: Readonly<Record<string, string>> = {},
): TextPlace => ({
  name,
  unitsMax: bodyUnits,
  write(service, text) {
    const sent = body(text, service);
    const headers = { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(sent)), ...more };
    return request(signedHead(service, method, path, headers), sent);
  },
});

const json = { 'Content-Type': 'application/json' };
const xml = { Accept: 'application/xml' };
/** The last version that speaks Atom is older than 2015-12-11. */
const atom = { 'x-ms-version': '2015-04-05' };
const inEntry = (text: string) =>
  '<entry xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" ' +
  'xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"><content type="application/xml"><m:properties>' +
  `<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey><d:A>${text}</d:A></m:properties></content></entry>`;
const multipart = `multipart/mixed; boundary=${batchBoundary}`;
const entity = "/Rows(PartitionKey='p',RowKey='r')";
const key = { PartitionKey: 'p', RowKey: 'r' };

const inPart = (name: string, part: (text: string, base: string) => string): TextPlace =>
  bodyOf(`${name} of a part`, '/$batch', multipart, (text, { base }) => part(text, base));

const commandOf = (path: string, body: (text: string) => string, method = 'POST'): TextPlace => ({
  name: `the body of ${method} /_tabularium/${path}`,
  unitsMax: 48 * 1024,
  write(service, text) {
    const sent = body(text);
    const head = `${method} /_tabularium/${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n`;
    return request(head + type, sent);
  },
});

const quoted = (text: string) => JSON.stringify(text);

/** All places that a request of the service or of the server itself has for a text. */
export const textPlaces: readonly TextPlace[] = [
  target('', (text) => `/${text}`),
  target(' of a partition', (text) => `/Rows(PartitionKey='${text}',RowKey='r')`),
  target(' of a row', (text) => `/Rows(PartitionKey='p',RowKey='${text}')`),
  target(' of keys', (text) => `/Rows(${text})`),
  target(' of a query', (text) => `/Rows()?${text}`),
  ...['$filter', '$select', '$top', '$format', '$orderby', 'NextPartitionKey', 'NextRowKey', 'NextTableName'].map(
    option,
  ),
  ...['timeout', 'comp', 'sig', 'sv', 'se', 'sp', 'tn', 'spk', 'sip'].map(option),
  ...[
    'Accept',
    'User-Agent',
    'x-ms-client-request-id',
    'x-ms-version',
    'Date',
    'x-ms-date',
    'Host',
    'Origin',
    'Authorization',
    'If-None-Match',
    'DataServiceVersion',
    'MaxDataServiceVersion',
    'Content-Type',
    'x-tabularium-explain',
    'Prefer',
    'x-tabularium-fault',
    'Forwarded',
    'X-Forwarded-For',
    'Cookie',
    'Accept-Encoding',
    'Accept-Language',
  ].map((name) => headerOf('GET', '/Rows()?$top=1', {}, name)),
  headersByNumber('/Rows()?$top=1', { Accept: '*/*' }),
  headersByNumber('/Rows()?$top=1', { Authorization: `SharedKey devstoreaccount1:${'A'.repeat(43)}=` }),
  ...['Content-Type', 'Prefer', 'Accept', 'Content-MD5', 'X-HTTP-Method', 'Expect', 'Content-Encoding'].map((name) =>
    headerOf('POST', '/Rows', json, name),
  ),
  ...['If-Match', 'If-None-Match', 'Prefer'].map((name) => headerOf('PUT', entity, json, name)),
  ...['Access-Control-Request-Headers', 'Access-Control-Request-Method', 'Origin'].map((name) =>
    headerOf('OPTIONS', '/Rows', { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' }, name),
  ),
  headerOf('POST', '/$batch', {}, 'Content-Type'),
  bodyOf('a body of JSON', '/Rows', 'application/json', (text) => text),
  bodyOf('members of an entity', '/Rows', 'application/json', (text) => `{"PartitionKey":"p","RowKey":"r",${text}}`),
  bodyOf('a string of an entity', '/Rows', 'application/json', (text) => JSON.stringify({ ...key, A: text })),
  bodyOf('a name of an entity', '/Rows', 'application/json', (text) => JSON.stringify({ ...key, [text]: 1 })),
  bodyOf('a type of an entity', '/Rows', 'application/json', (text) =>
    JSON.stringify({ ...key, A: '1', 'A@odata.type': text }),
  ),
  ...['Edm.DateTime', 'Edm.Guid', 'Edm.Int64', 'Edm.Double', 'Edm.Binary', 'Edm.Boolean'].map((type) =>
    bodyOf(`a value of ${type}`, '/Rows', 'application/json', (text) =>
      JSON.stringify({ ...key, A: text, 'A@odata.type': type }),
    ),
  ),
  bodyOf('a partition key of an entity', '/Rows', 'application/json', (text) =>
    JSON.stringify({ ...key, PartitionKey: text }),
  ),
  bodyOf('a table name', '/Tables', 'application/json', (text) => JSON.stringify({ TableName: text })),
  bodyOf('a body of Atom', '/Rows', 'application/atom+xml', (text) => text, 'POST', atom),
  bodyOf(
    'an entry of Atom',
    '/Rows',
    'application/atom+xml',
    (text) => `<entry xmlns="http://www.w3.org/2005/Atom">${text}</entry>`,
    'POST',
    atom,
  ),
  bodyOf('a value of Atom', '/Rows', 'application/atom+xml', inEntry, 'POST', atom),
  bodyOf(
    'a document of policies',
    '/Rows?comp=acl',
    'application/xml',
    (text) => `<SignedIdentifiers>${text}</SignedIdentifiers>`,
    'PUT',
    xml,
  ),
  bodyOf(
    'an attribute of policies',
    '/Rows?comp=acl',
    'application/xml',
    (text) => `<SignedIdentifiers a="${text}"/>`,
    'PUT',
    xml,
  ),
  bodyOf(
    'a document of settings',
    '/?restype=service&comp=properties',
    'application/xml',
    (text) => `<StorageServiceProperties>${text}</StorageServiceProperties>`,
    'PUT',
    xml,
  ),
  bodyOf(
    'an origin of settings',
    '/?restype=service&comp=properties',
    'application/xml',
    (text) =>
      `<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>${text}</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders>a</AllowedHeaders><ExposedHeaders>a</ExposedHeaders><MaxAgeInSeconds>1</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>`,
    'PUT',
    xml,
  ),
  bodyOf('a body of a batch', '/$batch', multipart, (text) => text),
  bodyOf(
    'the content of a batch',
    '/$batch',
    multipart,
    (text) => `--${batchBoundary}\r\n${text}\r\n--${batchBoundary}--\r\n`,
  ),
  bodyOf(
    'the type of a change set',
    '/$batch',
    multipart,
    (text) => `--${batchBoundary}\r\nContent-Type: multipart/mixed; ${text}\r\n\r\n--a--\r\n--${batchBoundary}--\r\n`,
  ),
  inPart('the head', (text, base) => writeChangeSet([{ ...insert('Rows', key, text), url: `${base}/Rows` }])),
  inPart('MIME headers', (text, base) =>
    writeChangeSet([{ ...insert('Rows', key), url: `${base}/Rows`, partHeaders: [text] }]),
  ),
  ...['Accept', 'If-Match', 'Content-Type', 'Prefer', 'Content-ID'].map((name) =>
    inPart(name, (text, base) =>
      writeChangeSet([{ method: 'PUT', url: `${base}${entity}`, body: key, headers: [`${name}: ${text}`] }]),
    ),
  ),
  inPart('the URL', (text, base) => writeChangeSet([{ ...insert('Rows', key), url: `${base}/${text}` }])),
  inPart('a partition', (text, base) =>
    writeChangeSet([{ method: 'DELETE', url: `${base}/Rows(PartitionKey='${text}',RowKey='r')` }]),
  ),
  inPart('a filter', (text, base) => writeBare([read(`${base}/Rows()?$filter=${text}`)])),
  inPart('a select', (text, base) => writeBare([read(`${base}/Rows()?$select=${text}`)])),
  inPart('a query', (text, base) => writeBare([read(`${base}/Rows()?${text}`)])),
  inPart('the body', (text, base) => writeChangeSet([{ method: 'POST', url: `${base}/Rows`, body: text }])),
  commandOf('faults', (text) => text),
  commandOf('faults', (text) => JSON.stringify({ text })),
  commandOf('faults', (text) => JSON.stringify({ fault: text })),
  commandOf('faults', (text) => JSON.stringify({ fault: 'ServerBusy', when: { [text]: text } })),
  commandOf('faults', (text) =>
    JSON.stringify({ fault: 'ServerBusy', times: 1, when: { operation: text, table: text } }),
  ),
  commandOf('faults', (text) => JSON.stringify({ fault: 'ServerBusy', for: text })),
  commandOf('marks', (text) => JSON.stringify({ name: text })),
  commandOf('marks', (text) => JSON.stringify({ [text]: 1 })),
  commandOf('reset', (text) => JSON.stringify({ table: text })),
  commandOf('explain', (text) => JSON.stringify({ filter: text })),
  commandOf('clock', (text) => JSON.stringify({ advance: text })),
  commandOf('branches', (text) => `{"from":${quoted(text)}}`),
];
