import fc from 'fast-check';
import { edmTypes } from '../../../src/protocol/values/edm.js';
import type { RequestOptions } from '../clients/service-client.js';
import { anyText, mutated, percentEncode, prototypeNames } from './fuzz-text.js';

/** A fuzzed request. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
}

const methods = fc.constantFrom('GET', 'POST', 'PUT', 'MERGE', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'LOCK', 'SEARCH');

/** Paths that the HTTP parser accepts in a request line: characters from ! to ~. */
const rawPath = fc.string({
  unit: fc.oneof(
    fc.constantFrom('%', '%%', '%00', '%2F', '%5c', '%zz', '%C3', '%ff', '%27', "'", '(', ')', ',', '=', '/', '?', '&'),
    fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  ),
  maxLength: 60,
});

const validPaths = fc.constantFrom(
  '/Tables',
  "/Tables('fuzzed')",
  '/fuzzed',
  '/fuzzed()',
  "/fuzzed(PartitionKey='p',RowKey='r')",
  "/fuzzed(PartitionKey='a%27%27b',RowKey='%E4%BD%A0')?$select=A,B&$format=application%2Fjson",
  '/fuzzed?comp=acl',
  '/?restype=service&comp=properties',
  '/$batch',
);

const addresses = fc.oneof(
  rawPath.map((path) => `/${path}`),
  mutated(validPaths, rawPath),
  mutated(validPaths, rawPath).map((path) => path.replaceAll("'", '%27')),
  fc.nat(20_000).map((length) => `/${'a'.repeat(length)}`),
  fc.nat(5000).map((depth) => `/fuzzed${'('.repeat(depth)}${')'.repeat(depth)}`),
  fc.nat(5000).map((count) => `/fuzzed(PartitionKey='${"''".repeat(count)}',RowKey='r')`),
);

/** Requests with any verb on any address, inside and outside of the account. */
export const addressRequests: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(
    methods,
    addresses,
    fc.constantFrom('/devstoreaccount1', '/devstoreaccount1', '/devstoreaccount1-secondary', ''),
  )
  // The parser rejects a target without a slash.
  .map(([method, path, prefix]) => ({ method, path: path.replace(/^(?!\/)/, '/'), options: { prefix } }));

const validFilters = fc.constantFrom(
  "PartitionKey eq 'p' and (RowKey ge 'a' or not (A lt 5))",
  "B eq datetime'2011-11-04T00:05:23Z' or C eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'",
  "X ne X'62696e' and D gt 4.1e+20 and L le -9223372036854775808L",
  "startswith(A,'x') and not married or 5 gt A",
  "S eq 'O''Brien' and E eq true and F eq NaN or G eq 3d",
);
const comparison = fc
  .tuple(
    fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp', 'A', 'B', 'S', 'L', ...prototypeNames),
    fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le'),
    fc.oneof(
      anyText.map((text) => `'${text.replaceAll("'", "''")}'`),
      fc.constantFrom(
        '1',
        '-2147483649',
        '5L',
        '1e300',
        'NaN',
        '-INF',
        'true',
        "datetime'2026-11-21'",
        "X'00ff'",
        "X''",
      ),
    ),
  )
  .map((words) => words.join(' '));
const lawfulFilter = fc
  .array(fc.tuple(comparison, fc.constantFrom(' and ', ' or ', ' and not '), fc.boolean()), {
    minLength: 1,
    maxLength: 6,
  })
  .map((terms) =>
    terms.map(([term, word, inner], at) => (at === 0 ? '' : word) + (inner ? `(${term})` : term)).join(''),
  );
const filterPiece = fc.oneof(
  anyText,
  fc.constantFrom(
    "'",
    '(',
    ')',
    ' and ',
    ' or ',
    ' not ',
    ' eq ',
    'null',
    "datetime'",
    "guid'x'",
    '9'.repeat(400),
    '\t',
  ),
);
const filters = fc.oneof(
  anyText,
  lawfulFilter,
  lawfulFilter,
  mutated(lawfulFilter, filterPiece),
  mutated(validFilters, filterPiece),
  mutated(mutated(validFilters, filterPiece), filterPiece),
  fc
    .tuple(fc.nat(1200), fc.constantFrom(' and ', ' or '), fc.constantFrom('A eq 1', "RowKey gt 'a'", 'B'))
    .map(([count, word, term]) => Array.from({ length: count + 1 }, () => term).join(word)),
  fc
    .tuple(fc.nat(3000), fc.constantFrom('(', 'not ', 'not(', '-'), fc.constantFrom('A eq 1', 'A', ''))
    .map(([depth, opening, term]) => opening.repeat(depth) + term + (opening.endsWith('(') ? ')'.repeat(depth) : '')),
);

/** Queries of tables and entities with any filter. */
export const filterRequests: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(fc.constantFrom('/Tables', '/fuzzed', '/fuzzed()'), filters)
  .map(([path, filter]) => ({ method: 'GET', path: `${path}?$filter=${percentEncode(filter)}`, options: {} }));

/** JSON of a hostile client: duplicate names, huge numbers, odd annotations. */
const jsonName = fc.oneof(
  anyText,
  fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp', 'A', 'A@odata.type', '@odata.type', 'odata.etag', 'TableName'),
);
const jsonScalar = fc.oneof(
  anyText.map((text) => JSON.stringify(text)),
  fc.constantFrom('null', 'true', '1e999', '-0', '1E-400', '9'.repeat(500), '"Edm.Int64"', '"\\ud800"', '0.1e+1', '01'),
  fc.json({ maxDepth: 2 }),
);
const jsonObject = fc
  .array(fc.tuple(jsonName, jsonScalar), { maxLength: 8 })
  .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`);
/** Keys and properties with valid names, and with any values and annotations. */
const likelyEntity = fc
  .tuple(
    fc
      .array(fc.constantFrom('a', 'b', 'c', 'd', 'é', '_', ...prototypeNames), { maxLength: 6 })
      .map((names) => [...new Set(names)]),
    fc.array(fc.tuple(fc.constantFrom('', '', ...edmTypes), jsonScalar), { minLength: 6, maxLength: 6 }),
    anyText,
    anyText,
  )
  .map(([names, values, partitionKey, rowKey]) => {
    const members = names.flatMap((name, at) => {
      const [type = '', value = 'null'] = values[at] ?? [];
      return [...(type === '' ? [] : [`"${name}@odata.type":"${type}"`]), `"${name}":${value}`];
    });
    const keys = [`"PartitionKey":${JSON.stringify(partitionKey)}`, `"RowKey":${JSON.stringify(rowKey)}`];
    return `{${[...keys, ...members].join(',')}}`;
  });
const validEntity = fc.constant(
  '{"PartitionKey":"p","RowKey":"r","i":1,"d":1.5,"s":"x\\u00e9","b":true,"l@odata.type":"Edm.Int64","l":"1",' +
    '"t@odata.type":"Edm.DateTime","t":"2011-11-04T00:05:23Z","x@odata.type":"Edm.Binary","x":"AQI="}',
);
const bodies = fc.oneof(
  likelyEntity,
  likelyEntity,
  jsonObject,
  fc.json(),
  anyText,
  mutated(validEntity, fc.oneof(anyText, jsonScalar)),
  fc.tuple(validEntity, fc.nat(200)).map(([text, length]) => text.slice(0, length)),
  fc.nat(30_000).map((depth) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

/** Writes of every kind, with any body. */
export const bodyRequests: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(
    fc.constantFrom(
      ['POST', '/Tables'] as const,
      ['POST', '/fuzzed'] as const,
      ['PUT', "/fuzzed(PartitionKey='p',RowKey='r')"] as const,
      ['MERGE', "/fuzzed(PartitionKey='p',RowKey='r')"] as const,
    ),
    bodies,
    fc.constantFrom(undefined, 'return-no-content' as const),
  )
  .map(([[method, path], body, prefer]) => ({ method, path, options: { body, ...(prefer && { prefer }) } }));

/** Valid text of a header: visible Latin 1. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 30,
});
const headerValue = (...values: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...values),
    mutated(fc.constantFrom(...values), headerText),
    headerText,
    fc.constant(undefined),
  );
/** A value that is usually absent, because it would prevent all later checks. */
const rareValue = (...values: readonly string[]) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, { arbitrary: headerValue(...values), weight: 1 });

/** A header that is absent here is sent as usual. An undefined header is not sent. */
const headers = fc.record(
  {
    Accept: headerValue(
      'application/json;odata=fullmetadata',
      '*/*',
      'application/atom+xml',
      'application/json;odata=',
    ),
    'Content-Type': headerValue('application/json', 'application/atom+xml', 'multipart/mixed; boundary=b'),
    'If-Match': headerValue('*', `W/"datetime'2011-05-12T23%3A12%3A32Z'"`, '"a","b"'),
    'If-None-Match': rareValue('*'),
    Prefer: headerValue('return-content', 'return-no-content', 'return-content, return-no-content'),
    'x-ms-version': fc.oneof(
      { arbitrary: fc.constantFrom('2009-09-19', '2015-12-11', '2019-02-02', '2026-06-06', '9999-12-31'), weight: 9 },
      { arbitrary: headerText, weight: 1 },
    ),
    'X-HTTP-Method': rareValue('MERGE', 'DELETE', 'GET', 'PUT, PUT'),
    'x-ms-client-request-id': headerValue('abc 1'),
    MaxDataServiceVersion: headerValue('3.0;NetFx', '1.0'),
    Origin: headerValue('http://a.example'),
  },
  { requiredKeys: [] },
);

/** Names of query options. */
const optionNames = fc.constantFrom(
  '$top',
  '$select',
  '$format',
  '$orderby',
  '$filter',
  'timeout',
  'comp',
  'NextPartitionKey',
  'NextRowKey',
  'NextTableName',
  ...prototypeNames,
);
const optionValues = fc.oneof(
  anyText,
  fc.constantFrom('1', '0', '1000', '1001', '-1', '1e3', '1!4!MQ--', '1!8!AAAAAA--', 'A,B', 'application/json'),
);
const options = fc
  .array(fc.tuple(optionNames, optionValues), { maxLength: 3 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${percentEncode(value)}`).join('&'));

/** Requests that are valid except for their headers and options. */
export const headerRequests: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(
    fc.constantFrom('GET', 'POST', 'PUT', 'MERGE', 'DELETE'),
    fc.constantFrom('/Tables', '/fuzzed', "/fuzzed(PartitionKey='p',RowKey='r')", "/Tables('fuzzer')"),
    options,
    headers,
  )
  .map(([method, path, query, sent]) => ({
    method,
    path: `${path}?${query}`,
    options: {
      headers: sent,
      ...(['POST', 'PUT', 'MERGE'].includes(method) && { body: '{"PartitionKey":"p","RowKey":"r"}' }),
    },
  }));

/** Requests with any credentials. */
export const credentialRequests: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    Authorization: headerValue('SharedKey devstoreaccount1:AAAA', 'SharedKeyLite a:b', 'Bearer a.b.c', 'Basic QQ=='),
    'x-ms-date': headerValue('Sat, 21 Nov 2026 01:00:00 GMT', 'Saturday, 21-Nov-26 01:00:00 GMT', '2026-11-21'),
    Date: headerValue('Sat Nov 21 01:00:00 2026', '0', '-1'),
  })
  .map((sent) => ({ method: 'GET', path: '/Tables', options: { auth: 'none', headers: sent } }));
