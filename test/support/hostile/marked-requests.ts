import { requestOf } from '../../../src/client/request-of.js';
import { allVerbs } from '../../../src/verbs/registry.js';
import { batchBoundary, type PartRequest, remove, update, writeBare, writeChangeSet } from '../bodies/batch-tools.js';
import { signedHead } from '../clients/raw-connection.js';
import type { RunningService } from '../servers/start-service.js';
import { accountAccess, tableAccess, withAccess } from '../signatures/sign-access.js';
import { textPlaces } from './text-places.js';

/** What every large text of a marked request has near its beginning: a word, or white space that no other text has. */
export const marks = ['mArKeD', '\t\r\n \t\t\r\n \t\r\n\t'] as const;

/** Length of a marked body. Unit: bytes. V8 keeps texts above 1,031,913 bytes outside of its heap. */
const bodyBytes = 1_000_000;

/** Length of a marked target, or of the body of a command. Unit: bytes. */
const shortBytes = 48 * 1024;

const word = (bytes: number) => marks[0].repeat(bytes / marks[0].length);
const blank = (bytes: number) => marks[1] + ' '.repeat(bytes);

const keys = { PartitionKey: 'a long partition key', RowKey: 'a long key of a row' };
const address = (table: string, row = keys.RowKey) =>
  `/${table}(PartitionKey='${encodeURIComponent(keys.PartitionKey)}',RowKey='${encodeURIComponent(row)}')`;

/** Returns the text of an object with white space that carries the mark after its first brace. */
const json = (value: object, bytes = bodyBytes) => JSON.stringify(value).replace('{', `{${blank(bytes)}`);

const jsonType = { 'Content-Type': 'application/json' };
const xmlType = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
const atomType = { 'Content-Type': 'application/atom+xml', 'x-ms-version': '2015-04-05' };
const batchType = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
const tag = `W/"datetime'2019-01-01T00%3A00%3A00.1234567Z'"`;

const entry = (name: string, value: string) =>
  `<entry xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices">${blank(bodyBytes)}<content type="application/xml"><m:properties><d:${name}>${value}</d:${name}><d:PartitionKey>${keys.PartitionKey}</d:PartitionKey><d:RowKey>a long key of an entry</d:RowKey></m:properties></content></entry>`;

const policies = (id: string, permission = 'r') =>
  `<SignedIdentifiers>${blank(200_000)}<SignedIdentifier><Id>${id}</Id><AccessPolicy><Start>2020-01-01T00:00:00Z</Start><Expiry>2099-01-01T00:00:00Z</Expiry><Permission>${permission}</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`;

const rule =
  '<CorsRule><AllowedMethods>GET,PUT,DELETE,MERGE</AllowedMethods><AllowedOrigins>http://a-long-origin.example.org</AllowedOrigins><AllowedHeaders>x-ms-a-long-header</AllowedHeaders><ExposedHeaders>x-ms-another-long-header</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule>';
const settings = (inCors: string) =>
  `<StorageServiceProperties>${blank(200_000)}<Cors>${inCors}</Cors></StorageServiceProperties>`;

/** Entities that no table takes, each for another reason. */
const wrongEntities: readonly object[] = [
  { ALongNameOfAProperty: 'x'.repeat(70_000) },
  { 'A long name-of a property': 1 },
  { ['ALongNameOfAProperty'.repeat(20)]: 1 },
  { ALongNameOfAProperty: 'no instant at all', 'ALongNameOfAProperty@odata.type': 'Edm.DateTime' },
  { ALongNameOfAProperty: 'a long text', 'ALongNameOfAProperty@odata.type': 'Edm.NoSuchTypeAtAll' },
  { ALongNameOfAProperty: 'a long text', 'ALongNameOfAProperty@odata.type': 5 },
  { ALongNameOfAProperty: { deep: 1 } },
  { PartitionKey: 'a long key / with a slash' },
  { PartitionKey: 5 },
  { RowKey: 'a long key'.repeat(400) },
  Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`ALongNameOfAProperty${at}`, at])),
].map((one) => ({ ...keys, ...one }));

/** Returns requests of an operation in the order in which they are sent: answered, repeated, and rejected in its ways. */
function operationsOn(service: RunningService, table: string): readonly Buffer[] {
  const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = ''): Buffer => {
    const length: Readonly<Record<string, string>> =
      body === '' ? {} : { 'Content-Length': `${Buffer.byteLength(body)}` };
    const target = `${path}${path.includes('?') ? '&' : '?'}x=${word(shortBytes)}`;
    const head = signedHead(service, method, body === '' ? target : path, { ...headers, ...length });
    return Buffer.from(head + body);
  };
  const inSet = (...parts: PartRequest[]) =>
    send(
      'POST',
      '/$batch',
      batchType,
      writeChangeSet(parts.map((part) => ({ ...part, url: service.base + part.url }))),
    );
  const row = address(table);
  const query = (options: Readonly<Record<string, string>>) =>
    send('GET', `/${table}()?${new URLSearchParams(options)}`);
  const insert = (entity: object) => send('POST', `/${table}`, jsonType, json({ ...keys, ...entity }));
  const partOf = (at: number): PartRequest =>
    update(
      'PUT',
      address(table, `a long key of part ${at}`),
      json({ ALongNameOfAProperty: 'a long value' }, 400_000) as never,
    );
  return [
    send('POST', '/Tables', jsonType, json({ TableName: table })),
    send('POST', '/Tables', jsonType, json({ TableName: table })),
    send('POST', '/Tables', jsonType, json({ TableName: 'a long name that no table has' })),
    send('GET', '/Tables'),
    send('GET', `/Tables('${table}')`),
    send('GET', "/Tables('ALongNameOfNoTable')"),
    ...[1, 2, 3, 4].map((at) =>
      insert({ RowKey: `a long key of row ${at}`, ALongNameOfAProperty: 'a long value of it' }),
    ),
    insert({}),
    insert({}),
    ...wrongEntities.map(insert),
    send('POST', '/ALongNameOfNoTable', jsonType, json(keys)),
    send('POST', `/${table}`, jsonType, `{${blank(bodyBytes)}"PartitionKey":"a long text`),
    send('PUT', row, { ...jsonType, 'If-Match': '*' }, json({ ALongNameOfAProperty: 'a long value of it' })),
    send('PUT', row, { ...jsonType, 'If-Match': tag }, json({ ALongNameOfAProperty: 'a long value of it' })),
    send('MERGE', row, jsonType, json({ ALongNameOfAnother: 'a long value of it' })),
    send('MERGE', address(table, 'a long key of no row'), { ...jsonType, 'If-Match': '*' }, json({ A: 1 })),
    send('PATCH', row, { ...jsonType, 'If-Match': '*' }, json({ ALongNameOfAnother: 1.5 })),
    send('GET', row),
    send('GET', address(table, 'a long key of no row')),
    send('GET', `${row}?$select=ALongNameOfAProperty,ALongNameOfAnother`),
    send('DELETE', address(table, 'a long key of row 4'), { 'If-Match': '*' }),
    send('DELETE', row, { 'If-Match': tag }),
    send('DELETE', address(table, 'a long key of no row'), { 'If-Match': '*' }),
    ...[1, 2].flatMap(() => [
      query({ $filter: "ALongNameOfAProperty eq 'a long value of it'", $top: '1' }),
      query({
        $filter: `PartitionKey eq '${keys.PartitionKey}' and ALongNameOfAnother gt 1`,
        $select: 'ALongNameOfAProperty',
      }),
    ]),
    query({ $filter: 'ALongNameOfAProperty eq a-long-mistake' }),
    query({ $filter: 'ALongNameOfAFunction(ALongNameOfAProperty)' }),
    query({ NextPartitionKey: 'a long token', NextRowKey: 'another long token' }),
    query({ $top: 'a long text' }),
    inSet(partOf(1), partOf(2)),
    inSet(partOf(1), remove(address(table, 'a long key of no row'))),
    inSet(partOf(1), remove(row, tag)),
    inSet(partOf(1), partOf(1)),
    inSet(partOf(1), { ...partOf(2), url: `/${table}(PartitionKey='another long key',RowKey='a long key')` }),
    inSet({ ...partOf(1), body: `{${blank(bodyBytes)}"ALongNameOfAProperty":x` }),
    send('POST', '/$batch', batchType, `--${batchBoundary}\r\n${word(bodyBytes)}`),
    send(
      'POST',
      '/$batch',
      batchType,
      writeBare([{ method: 'GET', url: `${service.base}${row}`, partHeaders: [`X: ${blank(bodyBytes)}`] }]),
    ),
    send('POST', `/${table}`, atomType, entry('ALongNameOfAProperty', 'a long value of it')),
    send('POST', `/${table}`, atomType, entry('A.Long.Name.Of.A.Property', 'a long value')),
    send('PUT', `/${table}?comp=acl`, xmlType, policies('a long name of a policy')),
    send('PUT', `/${table}?comp=acl`, xmlType, policies('a long name of a policy', 'a long permission')),
    send('PUT', `/${table}?comp=acl`, xmlType, policies('a long name of a policy'.repeat(9))),
    send('GET', `/${table}?comp=acl`, xmlType),
    send('PUT', '/?restype=service&comp=properties', xmlType, settings(rule)),
    send('PUT', '/?restype=service&comp=properties', xmlType, settings(`${rule}<ALongNameOfAnElement/>`)),
    send('GET', '/?restype=service&comp=properties', xmlType),
    send('GET', '/?restype=service&comp=stats', xmlType),
    send('OPTIONS', row, { Origin: 'http://a-long-origin.example.org', 'Access-Control-Request-Method': 'GET' }),
    send('GET', row, { Origin: 'http://a-long-origin.example.org' }),
    send('GET', row, { Authorization: 'SharedKey devstoreaccount1:AAAA' }),
    send('GET', row, { 'x-ms-date': 'a long text that is not a date' }),
    send('GET', row, { 'x-ms-version': 'a long text that is not a version' }),
    send('GET', '/a-long-name/of-no-table'),
  ];
}

/** Returns requests with a signature in the target, which are accepted and rejected for each of its parameters. */
function signedOn({ url, account }: RunningService, table: string): readonly Buffer[] {
  const ask = (path: string): Buffer => {
    const target = `${path}&x=${word(shortBytes)}`;
    const head = `GET ${target} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept: application/json\r\n\r\n`;
    return Buffer.from(head);
  };
  const path = `/${account.name}/${table}`;
  const wrong = encodeURIComponent(Buffer.alloc(32, 3).toString('base64'));
  const changed = ['st', 'se', 'sip', 'spr', 'sp', 'spk', 'erk', 'si'].map((field) => {
    const fields = tableAccess(table, { spk: keys.PartitionKey, [field]: 'a long text that is none' });
    return ask(withAccess(path, fields));
  });
  return [
    ask(withAccess(path, tableAccess(table))),
    ask(withAccess(path, accountAccess())),
    ask(`${path}?sv=2019-02-02&tn=${table}&sp=raud&se=2099-01-01T00:00:00Z&sig=${wrong}`),
    ask(withAccess(path, tableAccess('ALongNameOfAnotherTable'))),
    ...changed,
    ask('/a-long-account-name/ALongNameOfATable?comp=list'),
  ];
}

/** Verbs with what they are asked. */
type Calls = readonly (readonly [verb: string, asked: object])[];

/** What verbs are asked: names that are kept, and values that are rejected. `TABLE` is a table that may be lost. */
const calls = (): Calls => [
  ['mark', { name: 'a long name of a mark' }],
  ['snapshot create', { name: 'a-long-name-of-a-snapshot' }],
  ['snapshot create', { name: 'a-long-name-of-another' }],
  ['snapshot restore', { name: 'a-long-name-of-a-snapshot' }],
  ['snapshot restore', { name: 'a-long-name-of-no-snapshot' }],
  ['snapshot delete', { name: 'a-long-name-of-another' }],
  ['branch create', { from: 'a-long-name-of-a-snapshot', for: '5m' }],
  ['branch create', { from: 'a-long-name-of-no-snapshot' }],
  ['reset', { table: 'TABLE' }],
  ['reset', { table: 'ALongNameOfNoTable' }],
  ['undo', { id: 'a-long-name-of-no-call' }],
  ['diff', { from: 'a-long-name-of-a-snapshot', table: 'TABLE' }],
  ['entity delete', { table: 'TABLE', filter: `PartitionKey eq 'a long partition key' and RowKey ne '${word(6000)}'` }],
  ['entity delete', { table: 'TABLE', filter: `ALongNameOfAProperty eq '${word(30_000)}` }],
  [
    'fault create',
    { rules: `${blank(20_000)}id=a-long-name-of-a-rule table=ALongNameOfATable op=query fault=503 for=1h` },
  ],
  [
    'fault create',
    {
      rules: {
        id: 'a-long-name-of-another',
        when: { table: 'ALongNameOfATable', operation: 'get' },
        fault: 'ServerBusy',
      },
    },
  ],
  ['fault create', { rules: 'fault=throttle partition=1000 account=1000 for=1h' }],
  ['fault create', { rules: 'a-long-name-of-no-profile' }],
  ['fault delete', { id: 'a-long-name-of-another' }],
  ['request list', { table: 'ALongNameOfATable', text: word(30_000) }],
  ['request list', { status: word(30_000) }],
  ['change list', { table: 'ALongNameOfATable', since: word(30_000) }],
  ['coach show', {}],
  ['why', { id: word(30_000) }],
  ['explain', { filter: `ALongNameOfAProperty eq '${word(30_000)}'` }],
  ['explain', { filter: `ALongNameOfAProperty eq '${word(30_000)}` }],
  ['clock advance', { by: '1s' }],
  ['clock advance', { by: 'a long text that is none' }],
  ['table list', { count: true }],
  ['info', {}],
];

/** Files to import, by their media types. */
const files = (): readonly (readonly [type: string, text: string])[] => [
  [
    'application/x-ndjson',
    `${json({ $table: 'ALongNameOfAnImport', ...keys, ALongNameOfAProperty: 'a long value' })}\n`,
  ],
  [
    'application/x-ndjson',
    `${json({ $table: 'ALongNameOfAnImport', ...keys, ALongNameOfAProperty: 'x'.repeat(70_000) })}\n`,
  ],
  ['application/json', `[${json({ $table: 'ALongNameOfAnImport', ...keys, ALongNameOfAnother: 'a long value' })}]`],
  [
    'text/csv',
    `PartitionKey,RowKey,ALongNameOfAProperty,B\na long key,another long key,a long value,"${blank(bodyBytes)}"`,
  ],
];

/** Writes a request to a verb. */
function writeCall({ url }: RunningService, method: string, path: string, body: string, type: string): Buffer {
  const length = `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}`;
  return Buffer.from(
    `${method} /_tabularium${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${length}\r\n\r\n${body}`,
  );
}

function filesOn(service: RunningService): readonly Buffer[] {
  const path = '/import?defaultTable=ALongNameOfAnImport&mode=replace';
  return files().map(([type, text]) => writeCall(service, 'POST', path, text, type));
}

function verbsOn(service: RunningService, asked: Calls, lost: string): readonly Buffer[] {
  return asked.map(([name, fields]) => {
    const verb = allVerbs.find((one) => one.name === name);
    if (!verb) throw new Error(`There is no verb ${name}.`);
    const { method, path, body } = requestOf(verb, JSON.parse(JSON.stringify(fields).replace('TABLE', lost)));
    return writeCall(service, method, path, body ? json(body, 20_000) : '', 'application/json');
  });
}

/**
 * Returns requests of every operation, of rejections, of every verb and with a text in every place, each with a mark in its body or its
 * target. Sent in this order, what they create is still there at the end. All names are so long that V8 shares their memory with
 * what they are a part of.
 */
export function* markedRequests(service: RunningService): Generator<Buffer> {
  const [table, lost] = ['ALongNameOfATable', 'ALongNameOfALostTable'];
  const asked = calls();
  const others = allVerbs.filter(({ name, sends }) => sends !== 'lines' && !asked.some(([known]) => known === name));
  yield* verbsOn(
    service,
    others.map(({ name }) => [name, {}]),
    lost,
  );
  yield* operationsOn(service, table);
  yield* signedOn(service, table);
  yield* operationsOn(service, lost);
  yield* filesOn(service);
  yield* verbsOn(service, asked, lost);
  yield* operationsOn(service, table);
  for (const place of textPlaces) yield place.write(service, word(Math.min(place.unitsMax, bodyBytes)));
  // The last connection knows which key it has read.
  yield Buffer.from(signedHead(service, 'GET', address(table)));
  yield Buffer.from(signedHead(service, 'DELETE', `/Tables('${lost}')?x=${word(shortBytes)}`));
}
