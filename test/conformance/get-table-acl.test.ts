import { expect, it } from 'vitest';
import { commonHeadersOf, expectHeaders } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

/** How every XML answer begins: a byte order mark and the declaration. Source: operations 4.2. */
const mark = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

describeService('Get Table ACL', ({ client, withTable }) => {
  it('P1 answers an empty list if no policy was set, without OData headers', async () => {
    const table = await withTable();

    const answer = await client.get(`/${table}?comp=acl`, {
      accept: 'application/xml',
      headers: { 'x-ms-client-request-id': 'own' },
    });

    expect(answer.status).toBe(200);
    expect(answer.body).toBe(`${mark}<SignedIdentifiers />`);
    expectHeaders(answer, {
      ...commonHeadersOf(answer),
      'Content-Type': 'application/xml',
      'Transfer-Encoding': 'chunked',
    });
  });

  it.each([false, 'application/atom+xml,application/xml', '*/*', 'text/xml'] as const)(
    'P1 answers Accept: %s',
    async (accept) => {
      const table = await withTable();

      const answer = await client.get(`/${table}?comp=acl`, { accept });

      expect(answer.body).toBe(`${mark}<SignedIdentifiers />`);
    },
  );

  it('P1 accepts an empty Content-Type, which an old client sends', async () => {
    const table = await withTable();

    const answer = await client.get(`/${table}?comp=acl`, { accept: false, headers: { 'content-type': '' } });

    expect(answer.status).toBe(200);
  });

  it('P1 answers HEAD with the headers only', async () => {
    const table = await withTable();

    const answer = await client.send('HEAD', `/${table}?comp=acl`, { accept: false });

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/xml');
    expect(answer.body).toBe('');
  });

  it.each(['2014-02-14', '2016-05-31', '2017-07-28', '2017-07-29', '2018-03-28'])(
    'P24 repeats the code of an error in a header from version 2017-07-29 on, here %s',
    async (version) => {
      const answer = await client.get('/Missing?comp=acl', { accept: 'application/xml', version });

      expectTableError(answer, 404, 'TableNotFound', { set: 'A3' });
    },
  );

  it('P9 answers TableNotFound for a missing table', async () => {
    const answer = await client.get('/Missing?comp=acl', { accept: 'application/xml' });

    expectTableError(answer, 404, 'TableNotFound', { set: 'A3', message: 'The table specified does not exist.' });
  });
});
