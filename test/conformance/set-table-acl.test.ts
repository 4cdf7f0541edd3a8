import { describe, expect, it } from 'vitest';
import { commonHeadersOf, expectHeaders } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import type { RequestOptions } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';

/** How every XML answer begins: a byte order mark and the declaration. Source: operations 4.2. */
const mark = '\ufeff<?xml version="1.0" encoding="utf-8"?>';
const xml: RequestOptions = { accept: 'application/xml', headers: { 'Content-Type': 'application/xml' } };
// The parts of a list of policies, in XML. Elements may be absent and come in any order.
const list = (...identifiers: string[]) => `<SignedIdentifiers>${identifiers.join('')}</SignedIdentifiers>`;
const identifier = (id: string, policy = '') => `<SignedIdentifier><Id>${id}</Id>${policy}</SignedIdentifier>`;
const policy = (fields: string) => `<AccessPolicy>${fields}</AccessPolicy>`;
const start = (text: string) => policy(`<Start>${text}</Start>`);

describeService('Set Table ACL', ({ client, withTable }) => {
  const put = (table: string, body?: string, options?: RequestOptions) =>
    client.put(`/${table}?comp=acl`, body, { ...xml, ...options });
  const get = (table: string) => client.get(`/${table}?comp=acl`, { accept: 'application/xml' });
  /** Sets a list, and returns the list that the service answers. */
  const roundTrip = async (body: string) => {
    const table = await withTable();
    const answer = await put(table, body);
    expect(answer.status, answer.body).toBe(204);
    return (await get(table)).body;
  };

  it('P2 sets policies with 204, without OData headers', async () => {
    const table = await withTable();

    const answer = await put(table, list(identifier('read', policy('<Permission>r</Permission>'))));

    expect([answer.status, answer.reason, answer.body]).toEqual([204, 'No Content', '']);
    expectHeaders(answer, { ...commonHeadersOf(answer), 'Content-Length': '0' });
  });

  it('P2 writes start, expiry and permission in this order, with instants of seven digits', async () => {
    const fields =
      '<Permission>raud</Permission><Expiry>2021-06-09T02:10:09Z</Expiry><Start>2021-06-08T02:10:09.5Z</Start>';

    const body = await roundTrip(list(`<SignedIdentifier>${policy(fields)}<Id>full</Id></SignedIdentifier>`));

    const written =
      '<Start>2021-06-08T02:10:09.5000000Z</Start><Expiry>2021-06-09T02:10:09.0000000Z</Expiry><Permission>raud</Permission>';
    expect(body).toBe(`${mark}${list(identifier('full', policy(written)))}`);
  });

  it.each([
    ['2011-10-11', '2011-10-11T00:00:00.0000000Z'],
    ['2011-10-11T10:30Z', '2011-10-11T10:30:00.0000000Z'],
    ['2011-10-11T10:30:15Z', '2011-10-11T10:30:15.0000000Z'],
    ['2011-10-11T10:30:15.1234567Z', '2011-10-11T10:30:15.1234567Z'],
    ['2011-10-11T10:30:15.1000000Z', '2011-10-11T10:30:15.1000000Z'],
  ])('P3 accepts the instant %s and answers %s', async (sent, answered) => {
    const body = await roundTrip(list(identifier('x', start(sent))));

    expect(body).toBe(`${mark}${list(identifier('x', start(answered)))}`);
  });

  it.each([
    ['an empty policy', '<AccessPolicy/>'],
    ['an empty policy, spelled out', '<AccessPolicy></AccessPolicy>'],
    ['a policy of empty fields', policy('<Start/><Expiry></Expiry><Permission />')],
    ['no policy', ''],
  ])('P4 answers %s with only the identifier', async (_kind, sent) => {
    const body = await roundTrip(list(identifier('x', sent)));

    expect(body).toBe(`${mark}${list(identifier('x'))}`);
  });

  it.each(['<Permission>r</Permission>', '<Expiry>2030-01-01T00:00:00.0000000Z</Expiry>'])(
    'P4 answers only what was set: %s',
    async (field) => {
      const body = await roundTrip(list(identifier('x', policy(field))));

      expect(body).toBe(`${mark}${list(identifier('x', policy(field)))}`);
    },
  );

  it.each(['r', 'a', 'u', 'd', 'ra', 'rd', 'aud', 'raud'])('accepts the permission %s', async (permission) => {
    const sent = list(identifier('x', policy(`<Permission>${permission}</Permission>`)));

    expect(await roundTrip(sent)).toBe(`${mark}${sent}`);
  });

  it('keeps the order of identifiers, five of them', async () => {
    const sent = list(...['e', 'b', 'd', 'a', 'c'].map((id) => identifier(id)));

    expect(await roundTrip(sent)).toBe(`${mark}${sent}`);
  });

  it('replaces the whole list', async () => {
    const table = await withTable();
    await put(table, list(identifier('a'), identifier('b')));
    await put(table, list(identifier('c')));

    const answer = await get(table);

    expect(answer.body).toBe(`${mark}${list(identifier('c'))}`);
  });

  it.each([
    ['double quotes', '<?xml version="1.0" encoding="utf-8"?>'],
    ['single quotes', "<?xml version='1.0' encoding='utf-8'?>"],
    ['standalone', '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'],
    ['a byte order mark', '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n'],
    ['none', ''],
  ])('accepts a declaration with %s', async (_kind, declaration) => {
    const body = await roundTrip(`${declaration}${list(identifier('x'))}`);

    expect(body).toBe(`${mark}${list(identifier('x'))}`);
  });

  it('reads an escaped id, and escapes it in the answer', async () => {
    const body = await roundTrip(list(identifier('a &lt; b &amp;amp; &#233; <![CDATA[<c>]]>')));

    expect(body).toBe(`${mark}${list(identifier('a &lt; b &amp;amp; é &lt;c&gt;'))}`);
  });

  it.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['an empty list', '<SignedIdentifiers />'],
    ['an empty list, spelled out', '<?xml version="1.0"?><SignedIdentifiers></SignedIdentifiers>'],
  ])('P5 clears the list for %s', async (_kind, body) => {
    const table = await withTable();
    await put(table, list(identifier('x')));

    const answer = await put(table, body);

    expect(answer.status, answer.body).toBe(204);
    expect((await get(table)).body).toBe(`${mark}<SignedIdentifiers />`);
  });

  it.each([
    ['without a Content-Type', { headers: {} }],
    ['without an Accept', { accept: false }],
  ] satisfies [string, RequestOptions][])('P5 accepts an empty body %s', async (_kind, options) => {
    const table = await withTable();

    expect(await put(table, undefined, options)).toMatchObject({ status: 204 });
  });

  describe('rejects with InvalidXmlDocument, and changes nothing', () => {
    it.each([
      ['P6 six identifiers', list(...['1', '2', '3', '4', '5', '6'].map((id) => identifier(id)))],
      ['P6 six equal identifiers', list(...Array<string>(6).fill(identifier('5')))],
      ['P6 the same id twice', list(identifier('a'), identifier('a'))],
      [
        'P7 no id and nine fraction digits',
        list(`<SignedIdentifier>${start('2021-06-08T02:10:09.123456789Z')}</SignedIdentifier>`),
      ],
      ['P7 no id', list('<SignedIdentifier><AccessPolicy/></SignedIdentifier>')],
      ['P7 nine fraction digits', list(identifier('a', start('2021-06-08T02:10:09.123456789Z')))],
      ['an empty id', list(identifier(''))],
      ['an id of 65 characters', list(identifier('x'.repeat(65)))],
      ['two ids', list('<SignedIdentifier><Id>a</Id><Id>b</Id></SignedIdentifier>')],
      ['an unknown permission', list(identifier('a', policy('<Permission>rx</Permission>')))],
      ['a permission of accounts', list(identifier('a', policy('<Permission>rwd</Permission>')))],
      ['a start that is not an instant', list(identifier('a', start('yesterday')))],
      ['a start that does not exist', list(identifier('a', start('2021-02-30')))],
      ['an unknown field', list(identifier('a', policy('<Permissions>r</Permissions>')))],
      ['an unknown root', '<Identifiers/>'],
      ['an unknown child', list('<Identifier><Id>a</Id></Identifier>')],
      ['an element that is not closed', '<SignedIdentifiers><SignedIdentifier>'],
      ['no XML', 'policies'],
      ['JSON', '{"SignedIdentifiers":[]}'],
      ['two roots', '<SignedIdentifiers/><SignedIdentifiers/>'],
      ['text after the root', `${list()}policies`],
      ['a document type', `<!DOCTYPE x [<!ENTITY e "x">]>${list(identifier('&e;'))}`],
    ])('%s', async (_fault, body) => {
      const table = await withTable();
      await put(table, list(identifier('before')));

      const answer = await put(table, body);

      const message = 'XML specified is not syntactically valid.';
      expectTableError(answer, 400, 'InvalidXmlDocument', { set: 'A3', message });
      expect((await get(table)).body).toBe(`${mark}${list(identifier('before'))}`);
    });
  });

  it('accepts an id of 64 characters', async () => {
    const sent = list(identifier('x'.repeat(64)));

    expect(await roundTrip(sent)).toBe(`${mark}${sent}`);
  });

  it.each([
    ['a good body', list(identifier('x'))],
    ['no body', undefined],
  ])('P8 rejects Accept: */* on the PUT, with %s', async (_kind, body) => {
    const table = await withTable();

    const answer = await put(table, body, { accept: '*/*' });

    const message = 'None of the provided media types are supported';
    expectTableError(answer, 415, 'MediaTypeNotSupported', { set: 'A3', message });
  });

  it.each(['*/*', 'application/json'])('takes Accept: %s before version 2017-04-17', async (accept) => {
    const table = await withTable();

    const answer = await put(table, list(identifier('x')), { accept, headers: { 'x-ms-version': '2012-02-12' } });

    expect(answer.status).toBe(204);
  });

  it('P9 answers TableNotFound for a missing table', async () => {
    const answer = await client.send('PUT', '/Missing?comp=acl', { accept: 'application/xml' });

    expectTableError(answer, 404, 'TableNotFound', { set: 'A3', message: 'The table specified does not exist.' });
  });

  it('P9 looks for the table before it reads the body', async () => {
    expectTableError(await put('Missing', '<'), 404, 'TableNotFound', { set: 'A3' });
  });

  it('finds the policies of a table in any letter case', async () => {
    const table = await withTable();
    await put(table.toUpperCase(), list(identifier('x')));

    expect((await get(table.toLowerCase())).body).toBe(`${mark}${list(identifier('x'))}`);
  });

  it('deletes the policies with their table', async () => {
    const table = await withTable();
    await put(table, list(identifier('x')));
    await client.delete(`/Tables('${table}')`);
    await client.post('/Tables', { TableName: table });

    expect((await get(table)).body).toBe(`${mark}<SignedIdentifiers />`);
  });

  it.each(['POST', 'DELETE', 'MERGE'])('rejects the verb %s', async (method) => {
    const table = await withTable();

    const answer = await client.send(method, `/${table}?comp=acl`, { accept: 'application/xml' });

    expectTableError(answer, 405, 'UnsupportedHttpVerb', { set: 'A3' });
  });
});
