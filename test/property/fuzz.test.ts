import { STATUS_CODES } from 'node:http';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { errorCatalogue } from '../../src/protocol/errors.js';
import type { Answer } from '../support/answer.js';
import { describeService } from '../support/describe-service.js';
import {
  addressRequests,
  bodyRequests,
  credentialRequests,
  type FuzzedRequest,
  filterRequests,
  headerRequests,
} from '../support/fuzz-requests.js';
import { prototypeNames } from '../support/fuzz-text.js';

/** Requests under way at once. */
const inFlight = 24;
/** Rounds of each property: 24 × 170 × 5 is a little more than 20,000 requests. */
const rounds = 170;

const catalogue: Readonly<Record<string, { readonly status: number }>> = errorCatalogue;

/** The code of a refusal, whose body is well-formed JSON or XML. */
function codeOf({ headers, body }: Answer): string {
  if (headers['content-type']?.startsWith('application/json')) {
    return (JSON.parse(body) as { 'odata.error': { code: string } })['odata.error'].code;
  }
  expect(body).toMatch(
    /^\ufeff?<\?xml [^>]*\?>\s*<(m:)?error [^>]*>\s*<(m:)?code>\w+<\/(m:)?code>\s*<(m:)?message [^>]*>[^<]*<\/(m:)?message>\s*<\/(m:)?error>$/,
  );
  return /code>(\w+)</.exec(body)?.[1] ?? '';
}

/** A success with a body that can be read, or a refusal of the catalogue that is no fault of the server. */
function expectLawful(answer: Answer, request: FuzzedRequest): void {
  const { status, body, headers } = answer;
  const told = JSON.stringify({ ...request, status, answer: body.slice(0, 300) }).slice(0, 2000);
  expect(STATUS_CODES, told).toHaveProperty([status]);
  expect(status, told).not.toBe(500);
  if (request.method === 'HEAD') expect(body, told).toBe('');
  // Below `/_` the server speaks of itself, in JSON of its own.
  else if (`${request.options?.prefix ?? ''}${request.path}`.startsWith('/_')) {
    expect([200, 404, 405], told).toContain(status);
  } else if (status >= 400) expect(catalogue[codeOf(answer)]?.status, told).toBe(status);
  else if (headers['content-type']?.startsWith('application/json')) expect(() => JSON.parse(body), told).not.toThrow();
}

describeService('Whatever is sent', ({ client, withTable }) => {
  // What is sent may delete it, too.
  beforeEach(async () => {
    expect((await client.post('/Tables', { TableName: 'fuzzed' })).status).toBeOneOf([201, 409]);
    for (const key of ['r', 's', 't']) {
      const row = { A: 1, B: true, S: 'x', 'L@odata.type': 'Edm.Int64', L: '5' };
      expect((await client.put(`/fuzzed(PartitionKey='p',RowKey='${key}')`, row)).status).toBe(204);
    }
  });

  /** A connection that is cut instead of an answer fails with the request that did it. */
  const answerTo = (request: FuzzedRequest) =>
    client.send(request.method, request.path, request.options).catch((cause: unknown) => {
      throw new Error(`no answer to ${JSON.stringify(request).slice(0, 1000)}`, { cause });
    });

  it.each([
    ['address', addressRequests],
    ['filter', filterRequests],
    ['body', bodyRequests],
    ['header and option', headerRequests],
    ['credential', credentialRequests],
  ])(
    'for every %s, an answer comes that is lawful, and the service goes on',
    async (_part, requests) => {
      await fc.assert(
        fc.asyncProperty(fc.array(requests, { minLength: inFlight, maxLength: inFlight }), async (round) => {
          await Promise.all(
            round.map(async (request) => {
              expectLawful(await answerTo(request), request);
            }),
          );
        }),
        { numRuns: rounds },
      );

      const table = await withTable();
      const inserted = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', A: 'still here' });
      const read = await client.get(`/${table}(PartitionKey='p',RowKey='r')`);
      expect(inserted.status).toBe(201);
      expect(read.json).toMatchObject({ A: 'still here' });
    },
    120_000,
  );
});

describeService('Names that every object answers to', ({ client, withTable }) => {
  it('for every name of an object, it is a property, a key and a query like any other', async () => {
    const table = await withTable();
    for (const name of prototypeNames) {
      const members = prototypeNames.map((property) => `"${property}":"of ${name}"`).join(',');

      await client.post(`/${table}`, `{"PartitionKey":"${name}","RowKey":"${name}",${members}}`);

      const path = `/${table}(PartitionKey='${name}',RowKey='${name}')`;
      const read = await client.get(`${path}?$select=${prototypeNames.join(',')}&${name}=1`);
      expect(Object.entries(read.json).slice(2).sort()).toEqual(
        prototypeNames.map((property) => [property, `of ${name}`]).sort(),
      );
      const found = await client.get(`/${table}?$filter=${name}%20eq%20'of%20${name}'`);
      expect(found.rows.map(({ RowKey }) => RowKey)).toEqual([name]);
    }
  });

  it.each(prototypeNames.filter((name) => !name.includes('_')))(
    'for %s, there is no table until it is created',
    async (name) => {
      const before = await client.get(`/${name}`);
      const created = await client.post('/Tables', { TableName: name });
      const after = await client.get(`/${name}`);

      expect([before.status, created.status, after.status]).toEqual([404, 201, 200]);
    },
  );
});
