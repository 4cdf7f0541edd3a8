import { expect, it } from 'vitest';
import { commonHeadersOf, expectHeaders } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { asNew, logging, mark, metrics, path, retention, root, xml } from '../support/bodies/service-properties-xml.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Get Table Service Properties', ({ client }) => {
  it('P12 are the recorded ones, in an answer without OData headers', async () => {
    const answer = await client.get(path, { accept: 'application/xml' });

    expect(answer.status).toBe(200);
    expect(answer.body).toBe(`${mark}${root(...Object.values(asNew))}`);
    expectHeaders(answer, {
      ...commonHeadersOf(answer),
      'Content-Type': 'application/xml',
      'Transfer-Encoding': 'chunked',
    });
  });

  it('P21 are the same with comp before restype', async () => {
    const answer = await client.get('/?comp=properties&restype=service', { accept: false });

    expect(answer.body).toBe(`${mark}${root(...Object.values(asNew))}`);
  });

  it('have one kind of metrics and no CORS rules before 2013-08-15', async () => {
    const answer = await client.get(path, { accept: false, version: '2012-02-12' });

    expect(answer.body).toBe(`${mark}${root(logging(false), metrics('Metrics', true, retention(7)))}`);
  });

  it('can be read on the secondary', async () => {
    const answer = await client.get(path, { accept: false, prefix: '/devstoreaccount1-secondary' });

    expect(answer.body).toBe(`${mark}${root(...Object.values(asNew))}`);
  });

  it.each(['POST', 'DELETE'])('reject the verb %s', async (method) => {
    expectTableError(await client.send(method, path, xml), 405, 'UnsupportedHttpVerb', { set: 'A3' });
  });

  it.each(['GET', 'PUT'])('P25 are not those of a table, and the rejection has no version: %s', async (method) => {
    const path = '/mytable/?restype=service&comp=properties';
    const answer = await client.send(method, path, { ...xml, ...(method === 'PUT' && { body: root('') }) });

    expectTableError(answer, 400, 'InvalidQueryParameterValue', { set: 'A3', unmatched: true });
  });

  it('reject another comp', async () => {
    const answer = await client.get('/?restype=service&comp=other', xml);

    expectTableError(answer, 400, 'InvalidQueryParameterValue', { set: 'A3', unmatched: true });
  });

  it.each(['application/json', '*/*', 'text/html'])('are XML whatever Accept names: %s', async (accept) => {
    const answer = await client.get(path, { accept });

    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/xml' } });
  });
});
