import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/answers/answer.js';
import { type CorsRule, setCorsRules } from '../support/bodies/cors-rules.js';
import { describeService, type ServiceTools } from '../support/servers/describe-service.js';

const own = 'http://own.example';
const other = 'http://other.example';
const withId = { 'x-ms-client-request-id': 'own' };

const names = [
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-allow-credentials',
  'vary',
];

/** Returns the CORS headers of an answer: origin, exposed headers, credentials, Vary. */
function corsOf({ headers }: Answer): Readonly<Record<string, string>> {
  return Object.fromEntries(names.filter((name) => name in headers).map((name) => [name, headers[name] ?? '']));
}

const anyOrigin = { 'access-control-allow-origin': '*' };
const ownOrigin = {
  'access-control-allow-origin': own,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
};
const wrongKey = Buffer.alloc(64, 9).toString('base64');
const varies = { vary: 'Origin' };

/** Describes tests with these rules and a table with one entity. */
function describeRules(
  name: string,
  rules: readonly Partial<CorsRule>[],
  tests: (tools: ServiceTools & { read: (origin?: string, path?: string) => Promise<Answer> }) => void,
): void {
  describeService(name, (tools) => {
    const { client } = tools;
    beforeAll(async () => {
      await client.post('/Tables', { TableName: 'Shared' });
      await client.post('/Shared', { PartitionKey: 'p', RowKey: 'r' });
      await setCorsRules(client, rules);
    });
    const read = (origin?: string, path = '/Shared') =>
      client.get(path, { headers: { ...withId, ...(origin !== undefined && { Origin: origin }) } });
    tests({ ...tools, read });
  });
}

describeRules('Other origins, without rules', [], ({ read }) => {
  it.each([undefined, own])('C4 adds nothing to the answer for Origin: %s', async (origin) => {
    expect(corsOf(await read(origin))).toEqual({});
  });
});

describeRules('Other origins, if a rule allows any', [{ origins: '*', methods: 'GET,POST' }], ({ client, read }) => {
  it.each([undefined, own, other, 'null'])('allows any to Origin: %s, without Vary and credentials', async (origin) => {
    expect(corsOf(await read(origin))).toEqual(anyOrigin);
  });

  it('C3 adds nothing to a write without an Origin', async () => {
    const body = { PartitionKey: 'p', RowKey: 'c3' };

    expect(corsOf(await client.post('/Shared', body))).toEqual({});
  });

  it('allows the write of an Origin', async () => {
    const body = { PartitionKey: 'p', RowKey: 'new' };

    expect(corsOf(await client.post('/Shared', body, { headers: { Origin: own } }))).toEqual(anyOrigin);
  });

  it('adds nothing to a write that the rule does not allow, and still answers it', async () => {
    const path = "/Shared(PartitionKey='p',RowKey='put')";

    const answer = await client.put(path, {}, { headers: { Origin: own } });

    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toEqual({});
  });
});

describeRules(
  'Other origins, if a rule names one',
  [{ origins: `${own},http://second.example` }],
  ({ client, read }) => {
    it('C2 adds only Vary without an Origin', async () => {
      expect(corsOf(await read())).toEqual(varies);
    });

    it.each([
      ['200 of a set', '/Shared', 200],
      ['200 of tables', '/Tables', 200],
      ['404', "/Shared(PartitionKey='p',RowKey='none')", 404],
      ['404 of a table', '/Missing', 404],
      ['400', '/Shared?$filter=aaa%20bbb%20ccc', 400],
      ['200 of policies', '/Shared?comp=acl', 200],
      ['200 of settings', '/?restype=service&comp=properties', 200],
    ])('C2 adds Vary to %s', async (_what, path, status) => {
      const answer = await client.get(path, { accept: path.includes('comp=') ? false : 'application/json' });

      expect(answer.status).toBe(status);
      expect(corsOf(answer)).toEqual(varies);
    });

    it.each([
      ['403 of a wrong key', '/Shared', { key: wrongKey }, 403],
      ['403 of a wrong key, for settings', '/?restype=service&comp=properties', { key: wrongKey }, 403],
      ['401 without credentials', '/Shared', { auth: 'none', version: '2020-12-06' }, 401],
      ['400 of a query that names no operation', '/Shared?restype=service&comp=properties', {}, 400],
      ['400 of a path', '//Shared', {}, 400],
      ['404 of policies', '/Missing?comp=acl', {}, 404],
    ] as const)('C6 adds Vary to %s', async (_what, path, options, status) => {
      const answer = await client.get(path, { accept: 'application/xml', ...options });

      expect(answer.status, answer.body).toBe(status);
      expect(corsOf(answer)).toEqual(varies);
    });

    it.each(['POST', 'PUT', 'MERGE', 'DELETE'])(
      'C6 adds nothing to the 403 of a %s without an Origin',
      async (method) => {
        const answer = await client.send(method, "/Shared(PartitionKey='p',RowKey='c6')", { body: {}, key: wrongKey });

        expect(answer.status).toBe(403);
        expect(corsOf(answer)).toEqual({});
      },
    );

    it('C6 adds nothing to a rejected preflight request', async () => {
      const headers = { Origin: other, 'Access-Control-Request-Method': 'GET' };
      const answer = await client.send('OPTIONS', '/Shared', { auth: 'none', headers });

      expect(answer.status).toBe(403);
      expect(corsOf(answer)).toEqual({});
    });

    it('C6 lets the origin read why its request was rejected', async () => {
      expect(corsOf(await client.get('/Shared', { headers: { Origin: own }, key: wrongKey }))).toEqual(ownOrigin);
    });

    it('allows it, with credentials', async () => {
      expect(corsOf(await read(own))).toEqual(ownOrigin);
    });

    it.each([other, 'HTTP://OWN.EXAMPLE', `${own}:80`, `${own}/`, 'http://own.example.evil', 'null', '*'])(
      'does not allow Origin: %s',
      async (origin) => {
        expect(corsOf(await read(origin))).toEqual(varies);
      },
    );

    it.each([
      ['POST', '/Shared', { PartitionKey: 'p', RowKey: 'c3' }],
      ['PUT', "/Shared(PartitionKey='p',RowKey='c3')", {}],
      ['MERGE', "/Shared(PartitionKey='p',RowKey='c3')", {}],
      ['PATCH', "/Shared(PartitionKey='p',RowKey='c3')", {}],
      ['DELETE', "/Shared(PartitionKey='p',RowKey='c3')", undefined],
      ['POST', '/Tables', { TableName: 'Written' }],
      ['DELETE', "/Tables('Written')", undefined],
    ])('C3 adds nothing to %s %s without an Origin', async (method, path, body) => {
      const answer = await client.send(method, path, { body, ifMatch: '*' });

      expect(answer.status).toBeLessThan(300);
      expect(corsOf(answer)).toEqual({});
    });

    it('adds no Vary to a write of an origin that it does not allow', async () => {
      const answer = await client.put("/Shared(PartitionKey='p',RowKey='w')", {}, { headers: { Origin: other } });

      expect(answer.status).toBe(204);
      expect(corsOf(answer)).toEqual({});
    });
  },
);

describe('the first rule that matches origin and method decides', () => {
  const narrow = { origins: own, methods: 'GET', exposed: 'ETag' };
  const wide = { origins: '*', methods: 'GET,PUT', exposed: 'Date' };

  describeRules('the narrow one first', [narrow, wide], ({ read }) => {
    it('for the origin it names', async () => {
      expect(corsOf(await read(own, "/Shared(PartitionKey='p',RowKey='r')"))).toEqual({
        ...ownOrigin,
        'access-control-expose-headers': 'ETag',
      });
    });

    it.each([undefined, other])('but the wide one for Origin: %s', async (origin) => {
      expect(corsOf(await read(origin))).toEqual({ ...anyOrigin, 'access-control-expose-headers': 'Date' });
    });
  });

  describeRules('the wide one first', [wide, narrow], ({ read }) => {
    it.each([undefined, own, other])('for Origin: %s', async (origin) => {
      expect(corsOf(await read(origin))).toEqual({ ...anyOrigin, 'access-control-expose-headers': 'Date' });
    });
  });

  describeRules('none for GET', [{ origins: '*', methods: 'PUT' }], ({ client, read }) => {
    it.each([undefined, own])('so that a read only varies: Origin %s', async (origin) => {
      expect(corsOf(await read(origin))).toEqual(varies);
    });

    it('and a write is allowed', async () => {
      const answer = await client.put("/Shared(PartitionKey='p',RowKey='w')", {}, { headers: { Origin: own } });

      expect(corsOf(answer)).toEqual(anyOrigin);
    });
  });
});

describeRules('Exposed headers, all', [{ origins: '*', methods: 'GET,POST', exposed: '*' }], ({ client, read }) => {
  const list = async (path: string) => (await read(undefined, path)).headers['access-control-expose-headers'];
  const front = 'x-ms-request-id,x-ms-client-request-id,Server,x-ms-version';
  const base = 'X-Content-Type-Options,Cache-Control';
  const end = 'Content-Length,Date,Transfer-Encoding';

  it('C1 are named in order, for an entity', async () => {
    const path = "/Shared(PartitionKey='p',RowKey='r')";

    expect(await list(path)).toBe(`${front},${base},ETag,Content-Type,${end}`);
  });

  it.each([
    ['a set', '/Shared', ''],
    ['tables', '/Tables', ''],
    ['a page of entities', '/Shared?$top=1', 'x-ms-continuation-NextPartitionKey,x-ms-continuation-NextRowKey,'],
    ['a page of tables', '/Tables?$top=1', 'x-ms-continuation-NextTableName,'],
    ['what is not found', "/Shared(PartitionKey='p',RowKey='none')", ''],
  ])('C1 are named for %s', async (_what, path, place) => {
    await client.post('/Shared', { PartitionKey: 'p', RowKey: 'second' });
    await client.post('/Tables', { TableName: 'Second' });

    expect(await list(path)).toBe(`${front},${base},${place}Content-Type,${end}`);
  });

  it.each(['/Shared?comp=acl', '/?restype=service&comp=properties'])('C1 are fewer for %s', async (path) => {
    const answer = await client.get(path, { accept: false, headers: withId });

    expect(answer.headers['access-control-expose-headers']).toBe(`${front},${end}`);
  });

  it('omit the client request id if the request has none', async () => {
    const answer = await client.get('/Shared');

    expect(answer.headers['access-control-expose-headers']).toBe(
      `x-ms-request-id,Server,x-ms-version,${base},Content-Type,${end}`,
    );
  });

  it('include the headers of an insert with an Origin', async () => {
    const answer = await client.post('/Shared', { PartitionKey: 'p', RowKey: 'x' }, { headers: { Origin: own } });

    expect(answer.headers['access-control-expose-headers']).toBe(
      `x-ms-request-id,Server,x-ms-version,${base},ETag,Location,Content-Type,${end}`,
    );
  });
});

describeRules(
  'Exposed headers, some',
  [{ origins: own, exposed: 'etag,x-ms-continuation*,Content-Type,X-Not-There' }],
  ({ read }) => {
    it('are the listed headers that the answer has, in any letter case', async () => {
      const answer = await read(own, "/Shared(PartitionKey='p',RowKey='r')");

      expect(answer.headers['access-control-expose-headers']).toBe('ETag,Content-Type');
    });

    it('are omitted for another origin', async () => {
      expect(corsOf(await read(other))).toEqual(varies);
    });
  },
);
