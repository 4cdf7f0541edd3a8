import { expect, it } from 'vitest';
import type { ExplainedRequest } from '../../src/insight/explained-request.js';
import type { Answer } from '../support/answers/answer.js';
import {
  batchBoundary,
  insert,
  type PartRequest,
  read,
  writeBare,
  writeChangeSet,
} from '../support/bodies/batch-tools.js';
import { withQuery } from '../support/clients/service-client.js';
import { describeService, type ServiceTools } from '../support/servers/describe-service.js';

const keys = { PartitionKey: 'p', RowKey: 'r' };
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`P${at}`, at]));

type Rejected = (client: ServiceTools['client'], table: string) => Promise<Answer>;

const post =
  (body: object | string): Rejected =>
  (client, table) =>
    client.post(`/${table}`, typeof body === 'string' ? body : { ...keys, ...body });
const get =
  (path: string): Rejected =>
  (client, table) =>
    client.get(`/${table}${path}`);
/** A query of the table with these options. */
const query = (options: Readonly<Record<string, string>>) => get(withQuery('', options));
const filter = ($filter: string) => query({ $filter });
const transaction =
  (write: (table: string) => readonly PartRequest[]): Rejected =>
  (client, table) =>
    client.post('/$batch', writeChangeSet(write(table)), {
      headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
    });

/** A body of a transaction of this type. */
const batch =
  (write: (table: string) => string, type = `multipart/mixed; boundary=${batchBoundary}`): Rejected =>
  (client, table) =>
    client.post('/$batch', write(table), { headers: { 'Content-Type': type } });
const onlyInsert = (table: string) => [insert(table, keys)];
const onlyRead = (table: string) => [read(`/${table}(PartitionKey='p',RowKey='r')`)];

const setPolicies =
  (body: string): Rejected =>
  (client, table) =>
    client.put(`/${table}?comp=acl`, body, {
      headers: { 'Content-Type': 'application/xml' },
      accept: 'application/xml',
    });
const setProperties =
  (settings: string): Rejected =>
  (client) =>
    client.put(
      '/?restype=service&comp=properties',
      `<StorageServiceProperties>${settings}</StorageServiceProperties>`,
      { headers: { 'Content-Type': 'application/xml' }, accept: 'application/xml' },
    );

/** What is rejected, and what the explanation must say. */
const rejections: readonly (readonly [what: string, send: Rejected, cause: string, words: RegExp])[] = [
  [
    '$top that is too large',
    query({ $top: '1001', $filter: "A eq 'x'" }),
    'query-option',
    /\$top with the value 1001.*0 to 1000/,
  ],
  ['$select of a path', query({ $select: 'A/B', $filter: "A eq 'x'" }), 'query-option', /\$select with the value A\/B/],
  ['$orderby', query({ $filter: "A eq 'x'", $orderby: 'A' }), 'query-option', /does not have \$orderby.*in key order/],
  ['an unknown option', query({ $filter: "A eq 'x'", $find: 'A' }), 'query-option', /\$find/],
  [
    'a malformed token',
    query({ NextPartitionKey: '1!4!*', $filter: "A eq 'x'" }),
    'query-option',
    /continuation token.*1!4!/,
  ],
  [
    'a table by another name',
    (client) => client.get(withQuery('/Tables', { $filter: "Name eq 'x'" })),
    'query-option',
    /TableName/,
  ],
  ['a filter with =', filter('age = 3'), 'filter-sign-operator', /Write eq/],
  ['a filter with And', filter('A eq 1 And B eq 2'), 'filter-word-case', /Write and/],
  ['a filter with like', filter("Name like 'a%'"), 'filter-like', /Name ge 'a' and Name lt 'b'/],
  ['a filter with True', filter('A eq True'), 'filter-word-case', /Write true/],
  ['a filter of another type', filter("Id eq guid'1'"), 'filter-literal', /not a valid Guid/],
  ['260 properties', post(many(260)), 'too-many-properties', /has 260 properties; 252 are allowed/],
  ['a long name', post({ ['x'.repeat(300)]: 1 }), 'property-name-too-long', /has 300 characters; 255/],
  ['a large string', post({ Text: 'x'.repeat(40_000) }), 'entity-size', /Text has 80000 bytes; 65536 \(32768 char/],
  [
    'large binary data',
    post({ Data: Buffer.alloc(70_000).toString('base64'), 'Data@odata.type': 'Edm.Binary' }),
    'entity-size',
    /Data has 70000 bytes; 65536 are allowed/,
  ],
  [
    'a long key beside large values',
    post({ RowKey: 'k'.repeat(600), ...Object.fromEntries([...'abcdefghi'].map((name) => [name, 'x'.repeat(2000)])) }),
    'entity-size',
    /The RowKey has 1200 bytes; 1024 \(512 characters\) are allowed/,
  ],
  [
    'a large entity',
    post(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`P${at}`, 'x'.repeat(30_000)]))),
    'entity-size',
    /bytes together; an entity may have 1048576/,
  ],
  ['a number as a key', post({ RowKey: 5 }), 'key-type', /RowKey in the body is not a string/],
  ['numbers as keys in the path', get('(PartitionKey=5,RowKey=6)'), 'path-syntax', /strings in single quotes/],
  [
    'a filter that the entity of a read does not match',
    async (client, table) => {
      await client.post(`/${table}`, { ...keys, A: 1 });
      return client.get(`/${table}(PartitionKey='p',RowKey='r')?$filter=A%20eq%202`);
    },
    'filter-unmatched',
    /exists, but does not match the filter: A eq 2/,
  ],
  [
    'a quote in a key of the path that is not doubled',
    get("(PartitionKey='p',RowKey='O'Hara')"),
    'path-string-unterminated',
    /not doubled in PartitionKey='p',RowKey='O'Hara'\..*Double the quote: 'O''Hara'/s,
  ],
  ['a slash in a key', post({ RowKey: 'a/b' }), 'key-character', /RowKey 'a\/b' has '\/' at position 1/],
  ['a control character in a key', post({ RowKey: 'ab\t' }), 'key-character', /U\+0009 at position 2/],
  ['a slash in a key of the path', get("(PartitionKey='p',RowKey='a/b')"), 'key-slash', /have \/, which keys cannot/],
  ['an encoded slash there', get("(PartitionKey='p',RowKey='a%2Fb')"), 'key-slash', /have %2F, which keys cannot/],
  ['a list as a value', post({ A: [1] }), 'property', /A is a list or an object/],
  ['a wrong value', post({ A: 'x', 'A@odata.type': 'Edm.Int64' }), 'property', /'x' of A is not a valid Edm\.Int64/],
  [
    'keys by other names',
    post('{"partitionKey":"p","RowKey":"r"}'),
    'key-missing',
    /Rename partitionKey to PartitionKey/,
  ],
  [
    'the name of a table by another name',
    (client) => client.post('/Tables', { tableName: 'Orders' }),
    'key-missing',
    /Rename tableName to TableName/,
  ],
  ['an unknown type', post({ A: 'x', 'A@odata.type': 'Edm.Single' }), 'property', /the type Edm\.Single, which/],
  ['a property twice', post('{"PartitionKey":"p","RowKey":"r","A":1,"A":2}'), 'property', /has A twice/],
  ['a name with a dash', post({ 'a-b': 1 }), 'property', /cannot have the name 'a-b'/],
  [
    '101 operations',
    transaction((table) => Array.from({ length: 101 }, (_, at) => insert(table, { ...keys, RowKey: `${at}` }))),
    'changes-too-many',
    /^The transaction has more than 100 operations/,
  ],
  [
    'two partitions in a transaction',
    transaction((table) => ['p', 'q'].map((PartitionKey) => insert(table, { ...keys, PartitionKey }))),
    'partition-keys',
    /different PartitionKeys/,
  ],
  [
    'a body that is not declared as a transaction',
    batch((table) => writeChangeSet(onlyInsert(table)), 'application/json'),
    'batch-boundary',
    /Content-Type application\/json does not name a boundary/,
  ],
  [
    'two queries in a batch',
    batch((table) => writeBare([...onlyRead(table), ...onlyRead(table)])),
    'batch-queries',
    /one query/,
  ],
  ['a write outside of a change set', batch((table) => writeBare(onlyInsert(table))), 'batch-change-set', /change set/],
  [
    'two writes outside of a change set',
    batch((table) => writeBare([...onlyInsert(table), ...onlyInsert(table)])),
    'batch-change-set',
    /change set/,
  ],
  [
    'two change sets',
    batch((table) => {
      const one = writeChangeSet(onlyInsert(table));
      return one.replace(/--\r\n$/, `\r\n${one.slice(one.indexOf('\n') + 1)}`);
    }),
    'batch-change-sets',
    /one change set/,
  ],
  [
    'a change set without its boundary',
    batch((table) => writeChangeSet(onlyInsert(table)).replace('boundary=changeset', 'boundary=another')),
    'batch-change-set-boundary',
    /another_8a28b620 is not in the body/,
  ],
  [
    'a transaction without its end',
    batch((table) => writeChangeSet(onlyInsert(table)).split('\r\n--changeset_8a28b620--')[0] ?? ''),
    'batch-cut',
    /ends before/,
  ],
  ['a query in a change set', transaction(onlyRead), 'batch-query', /^Operation 0 .* only writes/],
  [
    'a part for another account',
    transaction((table) =>
      [insert(`other/${table}`, keys)].map((one) => ({ ...one, url: `http://localhost${one.url}` })),
    ),
    'batch-account',
    /http:\/\/localhost\/other\//,
  ],
  [
    'a transaction below a table',
    (client, table) => client.post(`/${table}/$batch`, '{}'),
    'path-below-table',
    /endpoint ends in/,
  ],
  ['a read below a table', (client, table) => client.get(`/${table}/Tables`), 'path-below-table', /endpoint ends in/],
  [
    'a read below a table that is missing',
    (client) => client.get('/Missing/Tables'),
    'path-below-table',
    /endpoint ends in/,
  ],
  ['a count', (client, table) => client.get(`/${table}/$count`), 'path-below-table', /does not count/],
  ['the option $count', query({ $count: 'true' }), 'query-option', /Count the entities/],
  ['two slashes', (client) => client.get('//Tables'), 'path-double-slash', /endpoint ends with a slash/],
  [
    'an empty NextRowKey',
    query({ NextPartitionKey: '1!4!cA--', NextRowKey: '' }),
    'query-option',
    /NextRowKey is empty/,
  ],
  ['a NextRowKey alone', query({ NextRowKey: '1!4!cA--' }), 'query-option', /no NextPartitionKey/],
  [
    'an empty NextTableName',
    (client) => client.get('/Tables?NextTableName='),
    'query-option',
    /NextTableName is empty/,
  ],
  [
    'no Content-Type',
    (client, table) => client.post(`/${table}`, '{}', { headers: { 'Content-Type': '' } }),
    'content-type-missing',
    /has no Content-Type/,
  ],
  [
    'an ETag without quotes',
    (client, table) => client.put(`/${table}(PartitionKey='p',RowKey='r')`, {}, { headers: { 'If-Match': 'abc' } }),
    'etag-malformed',
    /abc is not a valid ETag/,
  ],
  [
    'no If-Match',
    (client, table) => client.delete(`/${table}(PartitionKey='p',RowKey='r')`),
    'header-missing',
    /If-Match/,
  ],
  [
    'a short name of a table',
    (client) => client.post('/Tables', { TableName: 'a' }),
    'table-name-length',
    /fewer than 3/,
  ],
  ['a bad timeout', query({ timeout: 'soon' }), 'query-option', /timeout with the value soon.*seconds/],
  [
    'a version that does not exist',
    (client, table) => client.get(`/${table}`, { version: '2019-02-30' }),
    'header-value',
    /x-ms-version with the value 2019-02-30.*2019-02-02/,
  ],
  [
    'a body of another type',
    (client, table) => client.post(`/${table}`, '{}', { headers: { 'Content-Type': 'text/plain' } }),
    'header-value',
    /Content-Type with the value text\/plain.*application\/json/,
  ],
  [
    'an answer of another type',
    (client, table) => client.get(`/${table}`, { accept: 'text/html' }),
    'header-value',
    /Accept, .*with the value text\/html.*application\/json/,
  ],
  ['a format of another type', query({ $format: 'text/csv' }), 'header-value', /\$format, with the value text\/csv/],
  ['no RowKey', post('{"PartitionKey":"p"}'), 'key-missing', /has no RowKey/],
  ['no keys', post('{"A":1}'), 'key-missing', /has no PartitionKey and no RowKey/],
  ['no name of a table', (client) => client.post('/Tables', {}), 'key-missing', /has no TableName/],
  ['a number as a type', post({ A: 1, 'A@odata.type': 5 }), 'property', /A@odata\.type/],
  ['a type of a key', post({ 'RowKey@odata.type': 'Edm.Int32' }), 'key-type', /RowKey .*Edm\.Int32/],
  [
    'an element that policies do not have',
    setPolicies('<SignedIdentifiers><Signed/></SignedIdentifiers>'),
    'xml-structure',
    /<Signed> .*SignedIdentifier/,
  ],
  [
    'a policy with permissions in another order',
    setPolicies(
      '<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Permission>dr</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>',
    ),
    'xml-value',
    /Permission.*r, a, u, d/,
  ],
  ['properties that are empty', setProperties(''), 'xml-structure', /StorageServiceProperties/],
  [
    'properties without a version',
    setProperties('<Logging><Read>true</Read></Logging>'),
    'xml-structure',
    /Logging\/Version.*Version, Read/,
  ],
  [
    'a CORS rule with a wrong age',
    setProperties(
      '<Cors><CorsRule><AllowedMethods>GET</AllowedMethods><AllowedOrigins>*</AllowedOrigins><AllowedHeaders/><ExposedHeaders/><MaxAgeInSeconds>-1</MaxAgeInSeconds></CorsRule></Cors>',
    ),
    'xml-value',
    /CorsRule\/MaxAgeInSeconds.*-1/,
  ],
  [
    'a CORS rule with too many origins',
    setProperties(
      `<Cors><CorsRule><AllowedMethods>GET</AllowedMethods><AllowedOrigins>${'a,'.repeat(65)}</AllowedOrigins><AllowedHeaders/><ExposedHeaders/><MaxAgeInSeconds>1</MaxAgeInSeconds></CorsRule></Cors>`,
    ),
    'xml-value',
    /AllowedOrigins.*at most 64 origins; here are 65/,
  ],
  ['a reserved name', (client) => client.post('/Tables', { TableName: 'tables' }), 'table-name-reserved', /Tables/],
];

describeService('The explanation of a request', ({ client, service, withTable, withEntity }) => {
  const whyOf = async (id: string | undefined) =>
    (await (await fetch(`${service().url}/_tabularium/why?id=${id}`)).json()) as ExplainedRequest;

  it.each(rejections)('with %s says what is wrong', async (_what, send, cause, words) => {
    const answer = await send(client, await withTable());
    const why = await whyOf(answer.headers['x-ms-request-id']);
    expect(why).toMatchObject({ cause });
    const said = `${why.text} ${why.advice ?? ''}`;
    expect(said).toMatch(words);
    expect(said, 'sentences begin with a capital letter').not.toMatch(/[\w')]\. [a-z]/);
  });

  it('with the ETag of a later entity says that it is foreign, and not that the entity was changed', async () => {
    const { table, path } = await withEntity();
    const other = await client.post(`/${table}`, { PartitionKey: 'other', RowKey: 'r' });
    const etag = other.headers['etag'] ?? '';
    const rejected = await client.put(path, { A: 'z' }, { headers: { 'If-Match': etag } });
    expect(rejected.status).toBe(412);
    const why = await whyOf(rejected.headers['x-ms-request-id']);
    expect(why.cause).toBe('etag-foreign');
    expect(why.text).toMatch(/belongs to another entity or to a state that was undone/);
  });

  it('with a table that was created since says so, and does not ask to create it', async () => {
    const table = `${await withTable()}Later`;
    const rejected = await client.post(`/${table}`, keys);
    expect((await whyOf(rejected.headers['x-ms-request-id'])).advice).toMatch(/^Create the table/);
    await client.post('/Tables', { TableName: table });
    const why = await whyOf(rejected.headers['x-ms-request-id']);
    expect(why).toMatchObject({ cause: 'TableNotFound', advice: 'Send the request again.' });
    expect(why.text).toBe(`The table ${table} did not exist then, and exists now.`);
    expect(why.near).toBeUndefined();
  });

  it('that was retried with success is that of the try that was rejected', async () => {
    const table = await withTable();
    const headers = { 'x-ms-client-request-id': 'a-retried-request' };
    const rejected = await client.post(`/${table}Later`, keys, { headers });
    const done = await client.post(`/${table}`, keys, { headers });
    expect([rejected.status, done.status]).toEqual([404, 201]);
    expect(await whyOf('a-retried-request')).toMatchObject({
      requestId: rejected.headers['x-ms-request-id'],
      cause: 'TableNotFound',
      attempts: [
        { requestId: rejected.headers['x-ms-request-id'], status: 404, code: 'TableNotFound' },
        { requestId: done.headers['x-ms-request-id'], status: 201 },
      ],
    });
  });
});

describeService(
  'The explanation of a request to Cosmos DB',
  ({ client, service, withTable }) => {
    it.each([
      ['260 properties', many(260), /has 260 properties; 255 are allowed/],
      ['a long RowKey', { RowKey: 'k'.repeat(300) }, /The RowKey has 600 bytes; 510 \(255 characters\) are allowed/],
      ['a large entity', { A: 'x'.repeat(1_200_000) }, /an entity may have 2097152/],
    ])('with %s names the limits of that service', async (_what, properties, words) => {
      const answer = await client.post(`/${await withTable()}`, { ...keys, ...properties });
      expect(answer.status).toBe(400);
      const why = (await (
        await fetch(`${service().url}/_tabularium/why?id=${answer.headers['x-ms-request-id']}`)
      ).json()) as ExplainedRequest;
      expect(why.text).toMatch(words);
    });
  },
  { cosmos: true },
);
