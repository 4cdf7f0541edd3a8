import { STATUS_CODES } from 'node:http';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { errorCatalogue } from '../../src/dialects/storage/error-catalogue.js';
import type { Answer } from '../support/answers/answer.js';
import { runs } from '../support/arbitrary/property-runs.js';
import {
  addressRequests,
  bodyRequests,
  credentialRequests,
  type FuzzedRequest,
  filterRequests,
  headerRequests,
} from '../support/hostile/fuzz-requests.js';
import { prototypeNames } from '../support/hostile/fuzz-text.js';
import { describeService } from '../support/servers/describe-service.js';

/** Number of concurrent requests. With 60 rounds, five properties send 7,200 requests; TABULARIUM_RUNS=3 sends 21,600. */
const inFlight = 24;

const catalogue: Readonly<Record<string, { readonly status: number }>> = errorCatalogue;

/** Returns the code of an error, and expects its body to be well-formed JSON or XML. */
function codeOf({ headers, body }: Answer): string {
  if (headers['content-type']?.startsWith('application/json')) {
    return (JSON.parse(body) as { 'odata.error': { code: string } })['odata.error'].code;
  }
  expect(body).toMatch(
    /^\ufeff?<\?xml [^>]*\?>\s*<(m:)?error [^>]*>\s*<(m:)?code>\w+<\/(m:)?code>\s*<(m:)?message [^>]*>[^<]*<\/(m:)?message>\s*<\/(m:)?error>$/,
  );
  return /code>(\w+)</.exec(body)?.[1] ?? '';
}

/** Expects a success with a readable body, or an error of the catalogue that is not a server fault. */
function expectLawful(answer: Answer, request: FuzzedRequest): void {
  const { status, body, headers } = answer;
  const report = JSON.stringify({ ...request, status, answer: body.slice(0, 300) }).slice(0, 2000);
  expect(STATUS_CODES, report).toHaveProperty([status]);
  expect(status, report).not.toBe(500);
  if (request.method === 'HEAD') expect(body, report).toBe('');
  // Paths that begin with `/_` belong to the server, not to the Table service. Their JSON is different.
  else if (`${request.options?.prefix ?? ''}${request.path}`.startsWith('/_')) {
    expect([200, 404, 405], report).toContain(status);
  } else if (headers['content-type']?.startsWith('text/html')) {
    // The web server in front of the service rejects control characters in a path.
    expect([status, body], report).toEqual([400, expect.stringContaining('The request URL is invalid.')]);
  } else if (status >= 400) expect(catalogue[codeOf(answer)]?.status, report).toBe(status);
  else if (headers['content-type']?.startsWith('application/json'))
    expect(() => JSON.parse(body), report).not.toThrow();
}

describeService('A fuzzed request', ({ client, withTable }) => {
  // Created before each test, because a fuzzed request may delete the table.
  beforeEach(async () => {
    expect((await client.post('/Tables', { TableName: 'fuzzed' })).status).toBeOneOf([201, 409]);
    for (const key of ['r', 's', 't']) {
      const row = { A: 1, B: true, S: 'x', 'L@odata.type': 'Edm.Int64', L: '5' };
      expect((await client.put(`/fuzzed(PartitionKey='p',RowKey='${key}')`, row)).status).toBe(204);
    }
  });

  /** Sends a request. If the connection closes without an answer, the error names the request. */
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
  ])('with any %s gets a valid answer, and the service keeps running', async (_part, requests) => {
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: inFlight, maxLength: inFlight }), async (round) => {
        await Promise.all(
          round.map(async (request) => {
            expectLawful(await answerTo(request), request);
          }),
        );
      }),
      { numRuns: runs(60) },
    );

    const table = await withTable();
    const inserted = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', A: 'still here' });
    const read = await client.get(`/${table}(PartitionKey='p',RowKey='r')`);
    expect(inserted.status).toBe(201);
    expect(read.json).toMatchObject({ A: 'still here' });
  });
});

describeService('Names that every JavaScript object inherits', ({ client, withTable }) => {
  it('work as property names, keys and filters', async () => {
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
    'do not exist as tables until they are created: %s',
    async (name) => {
      const before = await client.get(`/${name}`);
      const created = await client.post('/Tables', { TableName: name });
      const after = await client.get(`/${name}`);

      expect([before.status, created.status, after.status]).toEqual([404, 201, 200]);
    },
  );
});
