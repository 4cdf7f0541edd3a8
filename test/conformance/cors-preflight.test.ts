import { beforeAll, expect, it } from 'vitest';
import { commonHeadersOf, expectHeaders } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { setCorsRules } from '../support/bodies/cors-rules.js';
import type { RequestOptions } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';

const own = 'http://own.example';

/** The headers of a preflight request, as a browser sends it: no credentials, no version. */
const asking = (fields: Readonly<Record<string, string>>): RequestOptions => ({
  auth: 'none',
  accept: '*/*',
  headers: { 'x-ms-version': undefined, 'x-ms-date': undefined, ...fields },
});
const ask = (origin: string, method: string, headers?: string) =>
  asking({
    Origin: origin,
    'Access-Control-Request-Method': method,
    ...(headers !== undefined && { 'Access-Control-Request-Headers': headers }),
  });
const rejected = 'CORS not enabled or no matching rule found for this request.';

describeService('Preflight requests without rules', ({ client }) => {
  it('C5 are rejected', async () => {
    const answer = await client.send('OPTIONS', '/Tables', ask(own, 'GET'));

    expectTableError(answer, 403, 'CorsPreflightFailure', { set: 'A3', message: rejected });
  });

  it('C5 are rejected for missing headers before they are rejected for missing rules', async () => {
    const answer = await client.send('OPTIONS', '/Tables', asking({}));

    const message = 'A required CORS header is not present.';
    expectTableError(answer, 400, 'InvalidHeaderValue', { set: 'A3', message });
  });
});

describeService('Preflight requests', ({ client }) => {
  const preflight = (options: RequestOptions, path = '/Tables') => client.send('OPTIONS', path, options);

  beforeAll(() =>
    setCorsRules(client, [
      { origins: own, methods: 'GET,MERGE', allowed: 'accept,X-Own,x-ms-*', maxAge: 500 },
      { origins: `${own},http://second.example`, methods: 'PUT,MERGE', allowed: '*', maxAge: 7 },
      { origins: '*', methods: 'DELETE,GET', allowed: '', maxAge: 0 },
    ]),
  );

  it('C5 are answered with exactly what the rule allows', async () => {
    const answer = await preflight(ask(own, 'GET', 'x-ms-version,accept'));

    expect([answer.status, answer.reason, answer.body]).toEqual([200, 'OK', '']);
    expectHeaders(answer, {
      ...commonHeadersOf(answer),
      'Content-Length': '0',
      'Access-Control-Allow-Origin': own,
      'Access-Control-Allow-Methods': 'GET',
      'Access-Control-Allow-Headers': 'x-ms-version,accept',
      'Access-Control-Max-Age': '500',
      'Access-Control-Allow-Credentials': 'true',
    });
  });

  it('C5 are allowed to any origin without credentials', async () => {
    const answer = await preflight(ask('http://other.example', 'DELETE'));

    expect(answer.status).toBe(200);
    expectHeaders(answer, {
      ...commonHeadersOf(answer),
      'Content-Length': '0',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'DELETE',
      'Access-Control-Max-Age': '0',
    });
  });

  it.each([
    ['', 'Tables'],
    ['a missing table', "Missing(PartitionKey='p',RowKey='r')"],
    ['an invalid path', 'no(such=syntax'],
    ['the service', '?restype=service&comp=properties'],
    ['a batch', '$batch'],
    ['an invalid signature', 'Tables?sv=2019-02-02&sig=AAAA'],
  ])('C5 are answered for any path: %s', async (_what, path) => {
    expect(await preflight(ask(own, 'GET'), `/${path}`)).toMatchObject({ status: 200 });
  });

  it.each([
    ['another letter case', 'X-OWN'],
    ['a prefix', 'x-ms-client-request-id'],
    ['the prefix itself', 'x-ms-'],
    ['blanks', 'accept , x-own'],
  ])('allow headers by %s', async (_how, headers) => {
    const answer = await preflight(ask(own, 'GET', headers));

    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-headers': headers } });
  });

  it('allow all headers if the rule is *', async () => {
    const answer = await preflight(ask('http://second.example', 'PUT', 'if-match,authorization,x'));

    expect(answer).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-headers': 'if-match,authorization,x', 'access-control-max-age': '7' },
    });
  });

  it.each([
    ['a header that is not in the list', own, 'GET', 'x-other'],
    ['one header of several', own, 'GET', 'accept,x-other'],
    ['a header that only a later rule allows', own, 'MERGE', 'if-match'],
    ['a header if none is allowed', 'http://other.example', 'GET', 'accept'],
    ['a method of no rule', own, 'POST', undefined],
    ['a method of another origin', 'http://second.example', 'MERGEX', undefined],
    ['an origin in other letters', 'http://SECOND.example', 'PUT', undefined],
    ['an origin with a port', 'http://second.example:80', 'PUT', undefined],
  ])('C5 are rejected for %s', async (_what, origin, method, headers) => {
    const answer = await preflight(ask(origin, method, headers));

    expectTableError(answer, 403, 'CorsPreflightFailure', { set: 'A3', message: rejected });
  });

  it('use the first rule that matches origin and method', async () => {
    const answers = [await preflight(ask(own, 'MERGE')), await preflight(ask('http://second.example', 'MERGE'))];

    expect(answers.map(({ headers }) => headers['access-control-max-age'])).toEqual(['500', '7']);
  });

  it.each([
    ['an Origin', { 'Access-Control-Request-Method': 'GET' }],
    ['a method', { Origin: own }],
    ['both', {}],
    ['a method that is not empty', { Origin: own, 'Access-Control-Request-Method': '' }],
  ])('C5 need %s', async (_what, fields) => {
    const answer = await preflight(asking(fields as Record<string, string>));

    const message = 'A required CORS header is not present.';
    expectTableError(answer, 400, 'InvalidHeaderValue', { set: 'A3', message });
  });

  it('are rejected for an unknown account', async () => {
    const answer = await client.send('OPTIONS', '/Tables', { ...ask(own, 'GET'), prefix: '/unknown' });

    const message = /^The specified resource does not exist\. .*\bdevstoreaccount1\b/;
    expectTableError(answer, 404, 'ResourceNotFound', { set: 'A3', message });
  });

  it('are answered by the secondary also', async () => {
    const answer = await client.send('OPTIONS', '/Tables', {
      ...ask(own, 'GET'),
      prefix: '/devstoreaccount1-secondary',
    });

    expect(answer.status).toBe(200);
  });
});
