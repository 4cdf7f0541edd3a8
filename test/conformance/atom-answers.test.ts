import { expect, it } from 'vitest';
import type { Answer, JsonObject } from '../support/answers/answer.js';
import { atomVersion, customPropertiesIn, inAtom, propertiesIn } from '../support/answers/atom-tools.js';
import { commonHeadersOf, etagForm, expectHeaders } from '../support/answers/expect-answer.js';
import { describeService } from '../support/servers/describe-service.js';

const declared =
  ' xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"' +
  ' xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"';
const geography = ' xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"';
const declaration = '<?xml version="1.0" encoding="utf-8"?>';
const scheme = 'http://schemas.microsoft.com/ado/2007/08/dataservices/scheme';
/** The options of the recorded client of that version. */
const old = { version: atomVersion, accept: false, headers: { MaxDataServiceVersion: '2.0;NetFx' } } as const;

/** Expects a success with the header set of Atom. Source: atom 2. */
function expectAtom(
  answer: Answer,
  status: 200 | 201,
  type: 'entry' | 'feed',
  own: Record<string, unknown> = {},
): void {
  expect(answer.status, answer.body).toBe(status);
  expectHeaders(answer, {
    ...commonHeadersOf(answer),
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': `application/atom+xml;type=${type};charset=utf-8`,
    'Transfer-Encoding': 'chunked',
    ...own,
  });
}

/** Returns a body with `updated` as a fixed text. It must have the recorded form. */
function withoutTime(body: string): string {
  return body.replaceAll(/<updated>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ<\/updated>/g, '<updated>now</updated>');
}

describeService('Answers in Atom', ({ client, service, withTable, withEntity }) => {
  const base = () => service().base;
  const account = () => service().account.name;

  const entryOf = (table: string, path: string, properties: string, attributes = '') =>
    `<entry${attributes}><id>${base()}/${path}</id>` +
    `<category term="${account()}.${table}" scheme="${scheme}" /><link rel="edit" title="${table}" href="${path}" />` +
    '<title /><updated>now</updated><author><name /></author><content type="application/xml">' +
    `<m:properties>${properties}</m:properties></content></entry>`;
  const etagAttribute = (etag: string) => ` m:etag="${etag.replaceAll('"', '&quot;')}"`;
  const keysOf = (etag: string) =>
    '<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>' +
    `<d:Timestamp m:type="Edm.DateTime">${/'(.*)'/.exec(etag)?.[1]?.replaceAll('%3A', ':')}</d:Timestamp>`;
  const feedOf = (table: string, entries: string) =>
    `${declaration}<feed xml:base="${base()}/"${declared}><id>${base()}/${table}</id><title type="text">${table}</title>` +
    `<updated>now</updated><link rel="self" title="${table}" href="${table}" />${entries}</feed>`;

  it('F1 are an entry for one entity', async () => {
    const { table, path, etag } = await withEntity({ A: 'x' });

    const answer = await client.get(path, old);

    expectAtom(answer, 200, 'entry', { ETag: etag });
    expect(withoutTime(answer.body)).toBe(
      declaration +
        entryOf(
          table,
          path.slice(1),
          `${keysOf(etag)}<d:A>x</d:A>`,
          ` xml:base="${base()}/"${declared}${etagAttribute(etag)}`,
        ),
    );
  });

  it('F2 are a feed for a query, whose entries have a tag and no namespaces', async () => {
    const { table, path, etag } = await withEntity({ A: 'x' });

    const answer = await client.get(`/${table}()?$filter=A%20eq%20%27x%27`, old);

    expectAtom(answer, 200, 'feed');
    const entry = entryOf(table, path.slice(1), `${keysOf(etag)}<d:A>x</d:A>`, etagAttribute(etag));
    expect(withoutTime(answer.body)).toBe(feedOf(table, entry));
  });

  it('F2 are a feed with an author if no entity matches', async () => {
    const table = await withTable();

    const answer = await client.get(`/${table}()`, old);

    expect(withoutTime(answer.body)).toBe(feedOf(table, '<author><name /></author>'));
  });

  it('F3 are an entry for one table and a feed for tables', async () => {
    const table = await withTable();
    const path = `Tables('${table}')`;
    const property = `<d:TableName>${table}</d:TableName>`;

    const one = await client.get(`/${path}`, old);
    const all = await client.get(`/Tables?$filter=TableName%20eq%20%27${table}%27`, old);

    expectAtom(one, 200, 'entry');
    expect(withoutTime(one.body)).toBe(
      declaration + entryOf('Tables', path, property, ` xml:base="${base()}/"${declared}`),
    );
    expectAtom(all, 200, 'feed');
    expect(withoutTime(all.body)).toBe(feedOf('Tables', entryOf('Tables', path, property)));
  });

  it.each([
    ['1.0', ''],
    ['2.0;NetFx', ''],
    ['3.0', geography],
    ['3.0;NetFx', geography],
    [undefined, geography],
  ])('F4 declare the namespaces that MaxDataServiceVersion %s allows, at every version', async (newest, more) => {
    const { table, path } = await withEntity();
    const headers = { MaxDataServiceVersion: newest };

    for (const version of ['2011-08-18', '2014-02-14', '2015-04-05', '2019-02-02']) {
      const options = { version, accept: false, headers } as const;
      const inserted = await client.post(`/${table}`, { PartitionKey: version, RowKey: 'r' }, options);
      expect(inserted.body).toContain(`${declared}${more} m:etag="`);
      expect((await client.get(path, options)).body).toContain(`${declared}${more} m:etag="`);
      expect((await client.get(`/${table}()`, options)).body).toContain(`${declared}${more}><id>`);
      expect((await client.get('/Tables', options)).body).toContain(`${declared}${more}><id>`);
    }
  });

  it('F27 encode the $ of tables of analytics in ids and links', async () => {
    const name = '$MetricsHourPrimaryTransactionsBlob';
    const encoded = name.replace('$', '%24');

    const table = await client.get(`/Tables('${name}')`, old);
    const feed = await client.get(`/${name}()`, old);

    const path = `Tables('${encoded}')`;
    expect(table.body).toContain(`<id>${base()}/${path}</id>`);
    expect(table.body).toContain(`title="Tables" href="${path}"`);
    expect(table.body).toContain(`<d:TableName>${name}</d:TableName>`);
    expect(feed.body).toContain(`<id>${base()}/${encoded}</id><title type="text">${name}</title>`);
    expect(feed.body).toContain(`title="${name}" href="${encoded}"`);
  });

  it.each([
    ['an invisible character', 'a\u200bb', 'a_x200B_b'],
    ['a letter that XML does not have', '\u00b5', '_x00B5_'],
    ['a letter beyond U+FFFF', '\u{10437}', '_x00010437_'],
    ['what looks like an encoded character', '_x200B_', '_x005F_x200B_'],
  ])('F28 encode a property name with %s, and read it back', async (_what, name, element) => {
    const { path } = await withEntity({ [name]: 'x' });

    const answer = await client.get(path, old);
    const entry = answer.body.replace('>x<', '>y<');
    const written = await client.put(path, entry, { ...inAtom, version: atomVersion });

    expect(customPropertiesIn(answer)).toBe(`<d:${element}>x</d:${element}>`);
    expect(written.status, written.body).toBe(204);
    expect((await client.get(path)).json).toMatchObject({ [name]: 'y' });
  });

  it('F5 contain what an insert has stored, and its Location is the id', async () => {
    const table = await withTable();

    const entity = { PartitionKey: 'p', RowKey: 'r', A: 'x' };
    const inserted = await client.post(`/${table}`, entity, { accept: false });
    const created = await client.post('/Tables', { TableName: `${table}New` }, { accept: false });

    const location = `${base()}/${table}(PartitionKey='p',RowKey='r')`;
    expectAtom(inserted, 201, 'entry', { ETag: etagForm, Location: location });
    expect(inserted.body).toContain(`<id>${location}</id>`);
    expect(customPropertiesIn(inserted)).toBe('<d:A>x</d:A>');
    expectAtom(created, 201, 'entry', { Location: `${base()}/Tables('${table}New')` });
  });

  it('F6 apply Prefer as JSON does', async () => {
    const table = await withTable();
    const insert = (RowKey: string, prefer: 'return-content' | 'return-no-content') =>
      client.post(`/${table}`, { PartitionKey: 'p', RowKey }, { accept: false, prefer });

    const [without, content] = [await insert('1', 'return-no-content'), await insert('2', 'return-content')];

    expect([without.status, without.headers['preference-applied']]).toEqual([204, 'return-no-content']);
    expect([content.status, content.headers['preference-applied']]).toEqual([201, 'return-content']);
    expect(content.body).toContain('<d:RowKey>2</d:RowKey>');
  });

  it.each<[string, JsonObject, string]>([
    ['strings', { A: 'male' }, '<d:A>male</d:A>'],
    ['empty strings, with two tags', { A: '' }, '<d:A></d:A>'],
    [
      'white space at the ends',
      { A: '  x', B: 'x ', C: ' ', D: '\n' },
      '<d:A xml:space="preserve">  x</d:A><d:B xml:space="preserve">x </d:B><d:C xml:space="preserve"> </d:C><d:D xml:space="preserve">\n</d:D>',
    ],
    ['markup', { A: `<a b="c">&'` }, `<d:A>&lt;a b="c"&gt;&amp;'</d:A>`],
    ['characters outside of ASCII, as they are', { é: 'ä😀\u2028' }, '<d:é>ä😀\u2028</d:é>'],
    [
      'characters that XML does not allow, as references',
      { A: '\u0000\u0001\r\ufffe\ud800' },
      '<d:A>&#x0;&#x1;&#xD;&#xFFFE;&#xD800;</d:A>',
    ],
    ['numbers', { A: 39, B: 3.5 }, '<d:A m:type="Edm.Int32">39</d:A><d:B m:type="Edm.Double">3.5</d:B>'],
    [
      'whole doubles',
      { 'A@odata.type': 'Edm.Double', A: 5, 'B@odata.type': 'Edm.Double', B: 1e21 },
      '<d:A m:type="Edm.Double">5</d:A><d:B m:type="Edm.Double">1E+21</d:B>',
    ],
    [
      'doubles that are not numbers',
      { 'A@odata.type': 'Edm.Double', A: 'NaN', 'B@odata.type': 'Edm.Double', B: '-Infinity' },
      '<d:A m:type="Edm.Double">NaN</d:A><d:B m:type="Edm.Double">-INF</d:B>',
    ],
    ['booleans', { A: true }, '<d:A m:type="Edm.Boolean">true</d:A>'],
    ['long numbers', { 'A@odata.type': 'Edm.Int64', A: '9333111000' }, '<d:A m:type="Edm.Int64">9333111000</d:A>'],
    [
      'times',
      { 'A@odata.type': 'Edm.DateTime', A: '1970-10-04T00:00:00Z' },
      '<d:A m:type="Edm.DateTime">1970-10-04T00:00:00Z</d:A>',
    ],
    [
      'identifiers',
      { 'A@odata.type': 'Edm.Guid', A: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
      '<d:A m:type="Edm.Guid">c9da6455-213d-42c9-9a79-3e9149a57833</d:A>',
    ],
    [
      'bytes',
      { 'A@odata.type': 'Edm.Binary', A: 'AQIDBAUGBwgJCg==' },
      '<d:A m:type="Edm.Binary">AQIDBAUGBwgJCg==</d:A>',
    ],
  ])('F7 write %s', async (_, properties, xml) => {
    const { path } = await withEntity(properties);

    expect(customPropertiesIn(await client.get(path, old))).toBe(xml);
  });

  it('F8 contain only the selected properties, and null for one that is missing', async () => {
    const { table, path } = await withEntity({ z: 1, a: 2 });

    const [one, all] = [
      await client.get(`${path}?$select=z,xyz,RowKey,a`, old),
      await client.get(`/${table}?$select=z,xyz,RowKey,a`, old),
    ];

    const selected =
      '<d:RowKey>r</d:RowKey><d:a m:type="Edm.Int32">2</d:a><d:xyz m:null="true" /><d:z m:type="Edm.Int32">1</d:z>';
    for (const answer of [one, all]) {
      expect(propertiesIn(answer)).toBe(selected);
      expect(answer.body).toContain(`<id>${base()}${path}</id>`);
      expect(answer.body).toContain('m:etag="W/&quot;datetime');
    }
  });

  it('F9 continue in headers only', async () => {
    const { table } = await withEntity();
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 's' });

    const answer = await client.get(`/${table}?$top=1`, old);

    expectAtom(answer, 200, 'feed', {
      'x-ms-continuation-NextPartitionKey': '1!4!cA--',
      'x-ms-continuation-NextRowKey': '1!4!cw--',
    });
    expect(answer.body).not.toContain('rel="next"');
  });

  it('percent-encode the keys in links, and escape nothing twice', async () => {
    const table = await withTable();
    await client.post(`/${table}`, { PartitionKey: `<&">'`, RowKey: 'ä b' });

    const answer = await client.get(`/${table}`, old);

    const path = `${table}(PartitionKey='%3C%26%22%3E''',RowKey='%C3%A4%20b')`;
    expect(answer.body).toContain(`<id>${base()}/${path}</id>`);
    expect(answer.body).toContain(`href="${path}"`);
    expect(answer.body).toContain(`<d:PartitionKey>&lt;&amp;"&gt;'</d:PartitionKey>`);
  });
});
