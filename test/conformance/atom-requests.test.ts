import { expect, it } from 'vitest';
import { customPropertiesIn, entryOf, inAtom, insertEntry, keys, namespaces } from '../support/answers/atom-tools.js';
import { etagForm, expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

/** Reads at a version that has `odata.etag`, so that an entity begins with the same five members as everywhere. */
const asRead = { accept: 'application/json' } as const;

describeService('Requests in Atom', ({ client, withTable, withEntity }) => {
  /** Inserts properties as an entry and returns them as JSON without metadata. */
  const stored = async (properties: string) => {
    const table = await withTable();
    const answer = await insertEntry(client, table, properties);
    expect(answer.status, answer.body).toBe(201);
    const read = await client.get(`/${table}(PartitionKey='p',RowKey='r')`, asRead);
    return Object.fromEntries(Object.entries(read.json).slice(5));
  };

  it('F10 insert an entity with every type', async () => {
    const properties = [
      '<d:S m:type="Edm.String">male</d:S>',
      '<d:I m:type="Edm.Int32">39</d:I>',
      '<d:L m:type="Edm.Int64">9333111000</d:L>',
      '<d:D m:type="Edm.Double">3.1</d:D>',
      '<d:B m:type="Edm.Boolean">true</d:B>',
      '<d:T m:type="Edm.DateTime">1970-10-04T00:00:00Z</d:T>',
      '<d:G m:type="Edm.Guid">C9DA6455-213D-42C9-9A79-3E9149A57833</d:G>',
      '<d:N m:null="true" />',
      '<d:X m:type="Edm.Binary">AQID</d:X>',
      '<d:Plain>without a type</d:Plain>',
    ];

    expect(await stored(properties.join(''))).toEqual({
      S: 'male',
      I: 39,
      'L@odata.type': 'Edm.Int64',
      L: '9333111000',
      D: 3.1,
      B: true,
      'T@odata.type': 'Edm.DateTime',
      T: '1970-10-04T00:00:00Z',
      'G@odata.type': 'Edm.Guid',
      G: 'c9da6455-213d-42c9-9a79-3e9149a57833',
      'X@odata.type': 'Edm.Binary',
      X: 'AQID',
      Plain: 'without a type',
    });
  });

  it('F10 keep the order of an insert in the answer', async () => {
    const table = await withTable();

    const answer = await insertEntry(client, table, '<d:z>1</d:z><d:a m:type="Edm.Int32"> 2 </d:a>');

    expect(customPropertiesIn(answer)).toBe('<d:z>1</d:z><d:a m:type="Edm.Int32">2</d:a>');
  });

  it('F11 create a table', async () => {
    const table = `${await withTable()}New`;

    const answer = await client.post(
      '/Tables',
      entryOf(`<d:TableName m:type="Edm.String">${table}</d:TableName>`),
      inAtom,
    );

    expect(answer.status, answer.body).toBe(201);
    expect((await client.delete(`/Tables('${table}')`, inAtom)).status).toBe(204);
  });

  it.each(['PUT', 'MERGE'])('F12 %s an entity, with and without a condition', async (method) => {
    const { path, etag } = await withEntity({ A: 'x' });
    const body = entryOf(`${keys}<d:B>y</d:B>`);

    for (const ifMatch of [etag, '*', undefined]) {
      const condition = ifMatch === undefined ? {} : { ifMatch };
      expectSuccess(await client.send(method, path, { ...inAtom, ...condition, body }), 204, { ETag: etagForm });
    }

    const expected = method === 'PUT' ? { B: 'y' } : { A: 'x', B: 'y' };
    expect(Object.fromEntries(Object.entries((await client.get(path, asRead)).json).slice(5))).toEqual(expected);
  });

  it('F12 merge an entity by a POST with X-HTTP-Method', async () => {
    const { path } = await withEntity({ A: 'x' });
    const headers = { ...inAtom.headers, 'X-HTTP-Method': 'MERGE' };

    const answer = await client.post(path, entryOf('<d:B>y</d:B>'), { ...inAtom, headers });

    expectSuccess(answer, 204, { ETag: etagForm });
  });

  it('F13 read names by their namespace, whatever the prefix', async () => {
    const table = await withTable();
    const body =
      '<a:entry xmlns:a="http://www.w3.org/2005/Atom"><a:content>' +
      '<properties xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">' +
      '<x:PartitionKey xmlns:x="http://schemas.microsoft.com/ado/2007/08/dataservices">p</x:PartitionKey>' +
      '<RowKey xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices">r</RowKey>' +
      '<y:I xmlns:y="http://schemas.microsoft.com/ado/2007/08/dataservices" ' +
      'xmlns:z="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" z:type="Edm.Int32">7</y:I>' +
      '</properties></a:content></a:entry>';

    const answer = await client.post(`/${table}`, body, inAtom);

    expect(customPropertiesIn(answer)).toBe('<d:I m:type="Edm.Int32">7</d:I>');
  });

  it.each([
    ['references', '&lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;', `<&>"'A😀`],
    ['CDATA', '<![CDATA[<b>&amp;]]>', '<b>&amp;'],
    ['comments', 'a<!-- b -->c', 'ac'],
    ['white space', '  a \n ', '  a \n '],
    ['line ends', 'a\r\nb&#13;', 'a\nb\r'],
    ['nothing', '', ''],
  ])('F14 read a string with %s', async (_, xml, text) => {
    expect(await stored(`<d:A>${xml}</d:A>`)).toEqual({ A: text });
  });

  it('F15 ignore a Timestamp, the id, links and other elements of the entry', async () => {
    const { path } = await withEntity();
    const body = entryOf('<d:Timestamp m:type="Edm.DateTime">2000-01-01T00:00:00Z</d:Timestamp><d:A>1</d:A>').replace(
      '<id />',
      '<id>http://elsewhere/</id><link rel="edit" href="T" /><category term="a" /><summary>text</summary>',
    );

    expect((await client.put(path, body, inAtom)).status).toBe(204);
    expect((await client.get(path)).json['Timestamp']).not.toBe('2000-01-01T00:00:00Z');
  });

  it.each([
    ['a value that does not fit its type', '<d:A m:type="Edm.Int32">many</d:A>', 'InvalidInput', /^An error occurred/],
    ['an unknown type', '<d:A m:type="Edm.Decimal">1</d:A>', 'InvalidInput', /^An error occurred/],
    ['an element in a property', '<d:A><d:B /></d:A>', 'InvalidInput', /^One of the request inputs/],
    ['a property given twice', '<d:A>1</d:A><d:A>2</d:A>', 'DuplicatePropertiesSpecified', /^A property is specified/],
    ['a name that is not an identifier', '<d:a-b>1</d:a-b>', 'PropertyNameInvalid', /^The property name is invalid/],
    ['a name with letters beyond U+FFFF', '<d:𐐷>1</d:𐐷>', 'InvalidInput', /^One of the request inputs/],
    [
      'a time that the service cannot store',
      '<d:A m:type="Edm.DateTime">1600-01-01T00:00:00Z</d:A>',
      'OutOfRangeInput',
      /out of range/,
    ],
  ])('F16 are rejected for %s, in XML', async (_, property, code, message) => {
    const table = await withTable();

    expectTableError(await insertEntry(client, table, property), 400, code, { set: 'B1', message });
    expect((await client.get(`/${table}`)).rows).toEqual([]);
  });

  it('F16 are rejected without keys', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, entryOf('<d:A>1</d:A>'), inAtom);

    expectTableError(answer, 400, 'PropertiesNeedValue');
  });

  it.each(['2015-12-11', '2019-02-02'])('are rejected in version %s, which does not read Atom', async (version) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, entryOf(keys), { ...inAtom, version });

    expectTableError(answer, 415, 'AtomFormatNotSupported', { set: 'B1' });
  });

  it('are rejected if the entry is another document', async () => {
    const table = await withTable();
    const feed = `<feed ${namespaces}><entry><content><m:properties>${keys}</m:properties></content></entry></feed>`;

    for (const body of ['', '{"PartitionKey":"p","RowKey":"r"}', feed, `${entryOf(keys)}<a/>`]) {
      expectTableError(await client.post(`/${table}`, body, inAtom), 400, 'InvalidInput', { set: 'B1' });
    }
  });
});
