import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseAddress } from '../../src/address/parse-address.js';
import { keyedCosts } from '../../src/insight/queries/cost-model.js';
import type { Explanation } from '../../src/protocol/explanation.js';
import type { Answer } from '../support/answers/answer.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import type { RequestOptions } from '../support/clients/service-client.js';
import { describeService, type ServiceTools } from '../support/servers/describe-service.js';
import { externalService } from '../support/servers/external-service.js';
import {
  type AccessFields,
  accountAccess,
  hoursFromNow,
  signText,
  tableAccess,
  textToSign,
  writeAccess,
} from '../support/signatures/sign-access.js';
import { authorizationOf, type SignedParts, type Signer } from '../support/signatures/sign-request.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const first = {
  name: 'first',
  keys: [base64('the first key of the first account'), base64('its second key, as good')],
};
const second = { name: 'second', keys: [base64('the key of the other account')] };
const [key1 = '', key2 = ''] = first.keys;
/** A secret of a client in a header. */
const customerKey = base64('a key of the client itself');

/** Sends a broken request. Returns what the server answers. */
type Broken = (tools: Pick<ServiceTools, 'client' | 'service'>, table: string) => Promise<Answer>;

/** A request that is signed in a way of its own. */
const signed =
  (
    method: string,
    path: string,
    change: Partial<SignedParts> & Partial<Signer>,
    options: RequestOptions = {},
  ): Broken =>
  ({ client }) => {
    const date = new Date().toUTCString();
    const parts = { method, target: `/first${path}`, date, ...change };
    const signer: Signer = { scheme: change.scheme ?? 'SharedKey', account: 'first', key: change.key ?? key1 };
    const headers = { 'x-ms-date': date, Authorization: authorizationOf(parts, signer), ...options.headers };
    return client.send(method, path, { ...options, headers: { ...headers, ...explain } });
  };

const explain = { 'x-tabularium-explain': '1' };

/** A request whose signature is of this text. The server gets its headers without the ones that a client adds. */
const signedText =
  (path: string, write: (date: string) => string, headers: RequestOptions['headers'] = {}): Broken =>
  ({ client }) => {
    const date = new Date().toUTCString();
    const Authorization = `SharedKey first:${signText(write(date), key1)}`;
    return client.get(path, { headers: { 'x-ms-date': date, Authorization, ...headers, ...explain } });
  };

/** Writes the text of a GET with this resource. */
const textOf = (resource: string) => (date: string) => `GET\n\n\n${date}\n${resource}`;

/** Writes the text of GET /Tables with a date in another form. */
const textWithDate = (change: (date: Date) => string) => (date: string) =>
  textOf('/first/first/Tables')(change(new Date(date)));

/** The headers of a request as blobs sign them. */
const blobHeaders = (date: string) => `x-ms-date:${date}\nx-ms-version:2019-02-02`;

/** A request with a shared access signature. */
const shared =
  (path: string, fields: (table: string) => AccessFields, change: (sig: string) => string = (sig) => sig): Broken =>
  ({ client }, table) => {
    const own = fields(table);
    const sig = change(signText(textToSign(own, 'first'), key1));
    const query = writeAccess({ ...own, sig });
    return client.get(`${path.replace('TABLE', table)}?${query}`, { auth: 'none', headers: explain });
  };

/** A request with a shared access signature that is written in another way. */
const sharedAs =
  (change: (query: string) => string): Broken =>
  ({ client }, table) => {
    const fields = tableAccess(table);
    const query = writeAccess({ ...fields, sig: signText(textToSign(fields, 'first'), key1) });
    return client.get(`/${table}?${change(query)}`, { auth: 'none', headers: explain });
  };

/** A query with a filter. */
const filtered =
  (filter: string): Broken =>
  ({ client }, table) =>
    client.get(`/${table}?$filter=${encodeURIComponent(filter)}`, { headers: explain });

const requests: readonly (readonly [what: string, send: Broken, status: number, cause: string, words: RegExp])[] = [
  [
    'the second key as text',
    signed('GET', '/Tables', { key: base64(key2) }),
    403,
    'key-as-text',
    /Decode the key from base64/,
  ],
  [
    'the key as text',
    signed('GET', '/Tables', { key: base64(key1) }),
    403,
    'key-as-text',
    /Decode the key from base64/,
  ],
  [
    'the key of another account',
    signed('GET', '/Tables', { key: second.keys[0] ?? '' }),
    403,
    'key-of-other-account',
    /another account/,
  ],
  [
    'SharedKey in the header, SharedKeyLite in the signature',
    ({ client }) => {
      const date = new Date().toUTCString();
      const parts = { method: 'GET', target: '/first/Tables', date };
      const lite = authorizationOf(parts, { scheme: 'SharedKeyLite', account: 'first', key: key1 });
      return client.get('/Tables', {
        headers: { 'x-ms-date': date, Authorization: lite.replace('Lite', ''), ...explain },
      });
    },
    403,
    'scheme-swapped',
    /the header names the other/,
  ],
  [
    'the account once',
    signed('GET', '/Tables', { target: '/Tables' }),
    403,
    'account-once',
    /contains the account once/,
  ],
  [
    'the account twice where the host has it',
    ({ client }) => {
      const date = new Date().toUTCString();
      const parts = { method: 'GET', target: '/first/Tables', date };
      const Authorization = authorizationOf(parts, { scheme: 'SharedKey', account: 'first', key: key1 });
      const headers = { 'x-ms-date': date, Authorization, Host: 'first.table.localhost', ...explain };
      return client.get('/Tables', { prefix: '', headers });
    },
    403,
    'account-twice',
    /contains the account twice/,
  ],
  [
    'an encoded path',
    signed('GET', "/People(PartitionKey='p',RowKey='r')", {
      target: '/first/People%28PartitionKey%3D%27p%27%2CRowKey%3D%27r%27%29',
    }),
    403,
    'path-encoded-strictly',
    /exactly as sent/,
  ],
  [
    'Date in place of x-ms-date',
    signed(
      'GET',
      '/Tables',
      { date: 'Sun, 22 Nov 2026 10:00:00 GMT' },
      { headers: { Date: 'Sun, 22 Nov 2026 10:00:00 GMT' } },
    ),
    403,
    'other-date',
    /x-ms-date takes precedence over Date/,
  ],
  [
    'another Content-Type',
    signed(
      'POST',
      '/Tables',
      { contentType: 'application/json' },
      { body: '{}', headers: { 'Content-Type': 'application/json;odata=nometadata' } },
    ),
    403,
    'content-type-default',
    /application\/json/,
  ],
  [
    'comp left out',
    signed('GET', '/?restype=service&comp=properties', { target: '/first/' }),
    403,
    'comp-missing',
    /parameter comp was not signed/,
  ],
  ['the verb in lower case', signed('GET', '/Tables', { method: 'get' }), 403, 'verb-lower-case', /in upper case/],
  [
    'the whole text of a blob',
    signedText('/Tables?$top=1', (date) => `GET${'\n'.repeat(12)}${blobHeaders(date)}\n/first/first/Tables\n$top:1`),
    403,
    'blob-headers',
    /as blobs require/,
  ],
  [
    'the whole text of a blob, with a header that is a key,',
    signedText(
      '/Tables',
      (date) =>
        `GET${'\n'.repeat(12)}x-ms-date:${date}\nx-ms-encryption-key:${customerKey}\nx-ms-version:2019-02-02\n/first/first/Tables`,
      { 'x-ms-encryption-key': customerKey },
    ),
    403,
    'blob-headers',
    /as blobs require/,
  ],
  [
    'the path in lower case',
    signedText('/Tables', textOf('/first/first/tables')),
    403,
    'path-lower-case',
    /lower case/,
  ],
  ...[(date: Date) => date.toISOString(), (date: Date) => date.toISOString().replace('.000', '')].map(
    (write) =>
      [
        `a date as ${write(new Date(Date.UTC(2026, 0)))}`,
        signedText('/Tables', textWithDate(write)),
        403,
        'date-format',
        /in another format/,
      ] as const,
  ),
  [
    'a Content-MD5 that is not signed',
    signedText('/Tables', textOf('/first/first/Tables'), { 'Content-MD5': 'AAAAAAAAAAAAAAAAAAAAAA==' }),
    403,
    'content-md5',
    /Content-MD5 was signed as empty/,
  ],
  [
    'a date of the past',
    signed('GET', '/Tables', {}, { headers: { 'x-ms-date': 'Sun, 22 Nov 2015 10:00:00 GMT' } }),
    403,
    'clock',
    /is \d,\d\d\d days before the clock/,
  ],
  [
    'a signature that expired',
    shared('/TABLE', (tn) => tableAccess(tn, { se: hoursFromNow(-1) })),
    403,
    'sas-expired',
    /expired 60 minutes ago/,
  ],
  [
    'a signature that begins in the future',
    shared('/TABLE', (tn) => tableAccess(tn, { st: hoursFromNow(24 * 3), se: hoursFromNow(24 * 9) })),
    403,
    'sas-not-valid-yet',
    /valid in 3 days/,
  ],
  [
    'the signature of a table for the list of tables',
    shared('/Tables', tableAccess),
    403,
    'sas-table-operation',
    /Query Tables is not on entities.*account signature/,
  ],
  [
    'the signature of a table for its deletion',
    ({ client }, table) => {
      const fields = tableAccess(table);
      const query = writeAccess({ ...fields, sig: signText(textToSign(fields, 'first'), key1) });
      return client.delete(`/Tables('${table}')?${query}`, { auth: 'none', headers: explain });
    },
    403,
    'sas-table-operation',
    /Delete Table.*account signature/,
  ],
  [
    'the signature of a table for its access policies',
    sharedAs((query) => `comp=acl&${query}`),
    403,
    'sas-access-policies',
    /key of the account/,
  ],
  [
    'the signature of a table that expired in a transaction',
    ({ client }, table) => {
      const fields = tableAccess(table, { se: hoursFromNow(-1) });
      const query = writeAccess({ ...fields, sig: signText(textToSign(fields, 'first'), key1) });
      const headers = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}`, ...explain };
      const body = writeChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'r' })]);
      return client.post(`/$batch?${query}`, body, { auth: 'none', headers });
    },
    403,
    'sas-expired',
    /expired 60 minutes ago/,
  ],
  ['two question marks', sharedAs((query) => `?${query}`), 403, 'sas-question-mark', /second question mark/],
  [
    'options before a question mark',
    sharedAs((query) => `$top=1?${query}`),
    403,
    'sas-question-mark',
    /second question/,
  ],
  ['&amp; in the signature', sharedAs((query) => query.replaceAll('&', '&amp;')), 403, 'sas-html', /&amp;/],
  ['a signature without sig', sharedAs((query) => query.replace(/&?sig=[^&]*/, '')), 403, 'sas-without-sig', /no sig/],
  ['an empty sig', sharedAs((query) => query.replace(/sig=[^&]*/, 'sig=')), 403, 'sas-without-sig', /empty sig/],
  ['a signature that is sent twice', sharedAs((query) => `${query}&${query}`), 403, 'sas-twice', /twice/],
  [
    'a permission that is missing',
    shared('/TABLE', (tn) => tableAccess(tn, { sp: 'a' })),
    403,
    'sas-permission',
    /needs the permission r, and the signature has 'a'/,
  ],
  ['a table of another name', shared('/TABLE', () => tableAccess('Other')), 403, 'sas-table', /is for the table Other/],
  [
    'a signature that was encoded twice',
    shared('/TABLE', tableAccess, encodeURIComponent),
    403,
    'sas-encoded-twice',
    /encoded twice/,
  ],
  [
    'a service that is missing',
    shared('/TABLE', () => accountAccess({ ss: 'bq' })),
    403,
    'sas-service',
    /not for tables/,
  ],
  [
    'an entity outside of the signed keys',
    ({ client }, table) => {
      const fields = tableAccess(table, { spk: 'm', epk: 'n' });
      const query = writeAccess({ ...fields, sig: signText(textToSign(fields, 'first'), key1) });
      const options = { auth: 'none', headers: explain, body: { A: 1 } } as const;
      return client.put(`/${table}(PartitionKey='a',RowKey='r')?${query}`, options.body, options);
    },
    403,
    'sas-key-range',
    /\('a', 'r'\) is before the start of the signed key range/,
  ],
  [
    'startswith in a filter',
    filtered("startswith(Name,'ab')"),
    501,
    'filter-startswith',
    /Name ge 'ab' and Name lt 'ac'/,
  ],
  [
    'a quote in a filter',
    filtered("Name eq 'O'Hara'"),
    400,
    'filter-quote',
    /Double the quotes inside a string: 'O''Hara'/,
  ],
  ['a large number in a filter', filtered('Size gt 5000000000'), 400, 'filter-int64-suffix', /5000000000L/],
  [
    'a bare date in a filter',
    filtered('At gt 2026-01-01T00:00:00Z'),
    400,
    'filter-datetime-prefix',
    /datetime'2026-01-01T00:00:00Z'/,
  ],
  [
    'a slash in a key',
    ({ client }, table) => client.post(`/${table}`, { PartitionKey: 'a/b', RowKey: 'r' }, { headers: explain }),
    400,
    'key-character',
    /The PartitionKey 'a\/b'/,
  ],
  [
    'a property that is too large',
    ({ client }, table) =>
      client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', Text: 'x'.repeat(40_000) }, { headers: explain }),
    400,
    'entity-size',
    /The property Text has 80000 bytes; 65536/,
  ],
  [
    'the same entity twice in a transaction',
    ({ client }, table) => {
      const parts = ['1', '2', '1'].map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }));
      const headers = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}`, ...explain };
      return client.post('/$batch', writeChangeSet(parts), { headers });
    },
    202,
    'same-entity-twice',
    /operations 0 and 2 of the transaction/,
  ],
];

describeService(
  'A rejected request',
  (tools) => {
    const { client, service, withTable } = tools;
    const why = async (id: string) => (await fetch(`${service().url}/_tabularium/why?id=${id}`)).json();

    // The server examines few signatures in one second, so each test has a second of its own.
    let time = Date.now();
    beforeEach(() => {
      time += 1000;
      vi.useFakeTimers({ toFake: ['Date'], now: time });
    });
    afterAll(() => {
      vi.useRealTimers();
    });

    it.each(requests)('with %s is explained', async (_what, send, status, cause, words) => {
      const answer = await send(tools, await withTable());

      expect(answer.status).toBe(status);
      const header = answer.headers['x-tabularium-why'] ?? '';
      expect(header.split(';')[0]).toBe(cause);
      expect(header).toMatch(words);
      expect(answer.headers['x-tabularium-request']).toBe(answer.headers['x-ms-request-id']);
      expect(await why(answer.headers['x-ms-request-id'] ?? '')).toMatchObject({ cause });
    });

    it('with a signature of an unknown text is explained by what came and by likely causes', async () => {
      const detailsOf = async (signature: string, headers: RequestOptions['headers'] = {}) => {
        const date = new Date().toUTCString();
        const Authorization = `SharedKey first:${signature}`;
        const answer = await client.get('/Tables', { headers: { 'x-ms-date': date, Authorization, ...headers } });
        return (await why(answer.headers['x-ms-request-id'] ?? '')) as Explanation;
      };
      const whole = await detailsOf(signText('another text', key1));
      expect(whole.details?.slice(0, 3)).toEqual([
        { name: 'scheme', value: 'SharedKey' },
        { name: 'account', value: 'first' },
        { name: 'decoded signature', value: '32 bytes', holds: true },
      ]);
      expect(whole.advice).toMatch(/^The key may be wrong/);
      const cut = await detailsOf(signText('another text', key1).slice(0, 20), { Via: '1.1 proxy' });
      expect(cut.details?.[2]).toEqual({ name: 'decoded signature', value: '15 bytes', holds: false });
      expect(cut.advice).toMatch(/^A signature is the base64 of 32 bytes.* A proxy forwarded the request/);
    });

    it.each([
      ['JSON', '{"PartitionKey":"p",\n "Secret": hunter2}', {}, 400, 'body-not-json', 'line 2, column 12, there is h'],
      [
        'Atom',
        '<entry>\n<a>hunter2</b></entry>',
        { 'Content-Type': 'application/atom+xml', 'x-ms-version': '2014-02-14' },
        400,
        'body-not-xml',
        'line 2, column',
      ],
    ] as const)('with a body that is not %s is explained by the place in it', async (...row) => {
      const [, body, headers, status, cause, words] = row;
      const answer = await client.post(`/${await withTable()}`, body, { headers });
      expect(answer.status).toBe(status);
      expect(answer.body).not.toContain('column');
      const found = (await why(answer.headers['x-ms-request-id'] ?? '')) as Explanation;
      expect(found).toMatchObject({ cause, at: expect.any(Number), length: 1 });
      expect(found.text).toContain(words);
      expect(JSON.stringify(found)).not.toContain('unter2');
    });

    it('for an XML document that is cut off is explained by the place in it', async () => {
      const body = '<StorageServiceProperties>\n<Cors>';
      const answer = await client.put('/?restype=service&comp=properties', body, {
        accept: 'application/xml',
        headers: { 'Content-Type': 'application/xml' },
      });
      expect(answer.status).toBe(400);
      const found = (await why(answer.headers['x-ms-request-id'] ?? '')) as Explanation;
      expect(found).toMatchObject({ cause: 'body-not-xml' });
      expect(found.text).toMatch(/at position \d+, line [12], column/);
    });

    it('has no explanation in its answer unless it asks for one', async () => {
      const answer = await client.get('/Missing');
      expect(answer.status).toBe(404);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-tabularium'))).toEqual([]);
      expect(await why(answer.headers['x-ms-request-id'] ?? '')).toMatchObject({ cause: 'TableNotFound' });
    });

    it('with a very long target is examined less, so that it takes no longer', async () => {
      const causeOf = async (path: string) => {
        const broken = signed('GET', path, { method: 'get' });
        const { headers } = await broken(tools, '');
        return headers['x-tabularium-why']?.split(';')[0];
      };
      expect(await causeOf('/Tables')).toBe('verb-lower-case');
      expect(await causeOf(`/${'x'.repeat(20_000)}`)).toBe('signature-differs');
    });

    it.each([
      ['the key', key1],
      ['the key without its padding', key1.replace(/=+$/, '')],
      ['the key in capital letters', key1.toUpperCase()],
    ])('with %s in place of the name of the account shows nothing of it', async (_what, key) => {
      const date = new Date().toUTCString();
      const headers = { 'x-ms-date': date, Authorization: `SharedKey ${key}:${base64('a signature')}`, ...explain };
      const answer = await client.get('/Tables', { auth: 'none', headers });
      expect(answer.status).toBe(403);
      const outputs = [
        JSON.stringify(answer.headers),
        ...(await Promise.all(
          ['requests/ID', 'why?id=ID', 'requests/ID/curl'].map((path) =>
            textAt(path.replace('ID', answer.headers['x-ms-request-id'] ?? '')),
          ),
        )),
      ];
      expect(outputs[0]).toContain('account-differs');
      expect(outputs.join('\n')).not.toContain(key.slice(0, 12));
    });

    it('that is answered has its class in its answer if it asks for it', async () => {
      const table = await withTable();
      for (const RowKey of ['a', 'b']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey });
      const headersOf = async (path: string) => {
        const { headers } = await client.get(path, { headers: explain });
        expect(headers['x-tabularium-request']).toBe(headers['x-ms-request-id']);
        return headers['x-tabularium-class'];
      };
      expect(await headersOf(`/${table}?$filter=RowKey%20eq%20'a'`)).toBe('table-scan; read=2; returned=1');
      expect(await headersOf(`/${table}(PartitionKey='p',RowKey='a')`)).toBe('point; read=1; returned=1');
      expect(await headersOf('/Tables')).toBeUndefined();
      const unasked = await client.get(`/${table}`);
      expect(Object.keys(unasked.headers).filter((name) => name.startsWith('x-tabularium'))).toEqual([]);
    });

    it('for a missing table is explained with the name of a similar one', async () => {
      const table = await withTable();
      const answer = await client.get(`/${table}s`);
      expect(await why(answer.headers['x-ms-request-id'] ?? '')).toMatchObject({
        near: expect.stringMatching(/^Table/),
      });
    });

    it('for a missing table is explained with another account that has it', async () => {
      const table = await withTable();
      const secondAccess = accountAccess({});
      const query = writeAccess({
        ...secondAccess,
        sig: signText(textToSign(secondAccess, 'second'), second.keys[0] ?? ''),
      });
      const { headers } = await client.get(`/second/${table}?${query}`, { auth: 'none', prefix: '' });
      expect(await why(headers['x-ms-request-id'] ?? '')).toMatchObject({
        cause: 'TableNotFound',
        otherAccount: 'first',
      });
    });

    it('for its shared access signature has a table of the parameters', async () => {
      const fields = (tn: string) => tableAccess(tn, { sp: 'a', spk: 'p' });
      const answer = await shared('/TABLE', fields)(tools, await withTable());
      const { details } = (await why(answer.headers['x-ms-request-id'] ?? '')) as { details: unknown[] };
      expect(details).toEqual([
        { name: 'sv', value: '2019-02-02', holds: true },
        { name: 'sig', value: '…', holds: true },
        { name: 'se', value: expect.any(String), holds: true },
        { name: 'tn', value: expect.any(String), holds: true },
        { name: 'spk', value: 'p' },
        { name: 'sp', value: 'a', holds: false },
      ]);
    });

    it('is explained without its key, signature or token in any output', async () => {
      const table = await withTable();
      const secrets = new Set([...first.keys, ...second.keys, customerKey]);
      const sent: Answer[] = [];
      for (const [, send] of requests) sent.push(await send(tools, table));
      for (const answer of sent) {
        const signature = answer.sent['authorization']?.split(':').at(-1);
        if (signature) secrets.add(signature);
      }
      const outputs = await Promise.all([
        ...['requests?limit=9999', 'coach'].map((path) => textAt(path)),
        ...sent.flatMap(({ headers }) => {
          const id = headers['x-ms-request-id'];
          return [textAt(`why?id=${id}`), textAt(`requests/${id}`), JSON.stringify(headers)];
        }),
      ]);
      const output = outputs.join('\n');
      expect(secrets.size).toBeGreaterThan(15);
      for (const secret of secrets) {
        expect(output).not.toContain(secret);
        expect(output).not.toContain(encodeURIComponent(secret));
        expect(output).not.toContain(Buffer.from(secret, 'base64').toString('hex'));
      }
      // One request has an empty sig.
      expect(output).not.toMatch(/sig=(?!…|%E2%80%A6|[\\"&'])/i);
    });

    const textAt = async (path: string) => (await fetch(`${service().url}/_tabularium/${path}`)).text();
  },
  { accounts: [first, second] },
);

describe.skipIf(externalService)('A client that is rejected all the time', () => {
  it('is explained by its code once its signatures were examined often enough', async () => {
    const { Explainer } = await import('../../src/insight/explainer.js');
    const { ChangeRing } = await import('../../src/insight/journal/changes/change-ring.js');
    const { Accounts } = await import('../../src/auth/accounts.js');
    const { TableError } = await import('../../src/protocol/errors.js');
    const explainer = new Explainer({
      accounts: new Accounts([first]),
      now: () => Date.UTC(2026, 10, 22),
      realNow: () => Date.UTC(2026, 10, 22),
      store: {},
      changes: new ChangeRing(),
      costsOf: () => keyedCosts,
      isShared: false,
    });
    const date = new Date(Date.UTC(2026, 10, 22)).toUTCString();
    const headers = { host: 'localhost', 'x-ms-date': date, authorization: 'SharedKey first:bm9uc2Vuc2U=' };
    const record = {
      request: { method: 'GET', target: '/first/Tables', headers, scheme: 'http', caller: '127.0.0.1' },
      address: parseAddress({ url: '/first/Tables', host: 'localhost', scheme: 'http' }, new Set(['first'])),
      account: 'first',
      rejection: new TableError('AuthenticationFailed'),
    };
    const causes = Array.from({ length: 25 }, () => explainer.explain(record as never).cause);
    expect(causes.filter((cause) => cause === 'signature-differs')).toHaveLength(20);
    expect(causes.slice(20)).toEqual(new Array(5).fill('AuthenticationFailed'));
  });
});
