import { expect, it } from 'vitest';
import { entryOf, inAtom, keys, namespaces } from '../support/answers/atom-tools.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const bodyBytesMax = 4 * 1024 * 1024;
const good = entryOf(keys);

/** Repeats a text between two others, up to the maximum size of a body. */
function fill(text: string, head = '', tail = ''): string {
  return (
    head + text.repeat(Math.floor((bodyBytesMax - Buffer.byteLength(head + tail)) / Buffer.byteLength(text))) + tail
  );
}

const inProperties = (text: string) => {
  const [head = '', tail = ''] = good.split(keys);
  return fill(text, head + keys, tail);
};

const documents: readonly (readonly [name: string, body: string])[] = [
  ['text that is not XML', 'PartitionKey=p'],
  ['an element that does not end', good.slice(0, -8)],
  ['an element that ends twice', `${good}</entry>`],
  ['two roots', `${good}${good.slice(good.indexOf('<entry'))}`],
  ['a document type', good.replace('<entry', '<!DOCTYPE entry><entry')],
  ['an entity of its own', good.replace('<entry', '<!DOCTYPE entry [<!ENTITY p "p">]><entry').replace('>p<', '>&p;<')],
  ['an external entity', good.replace('<entry', '<!DOCTYPE entry [<!ENTITY p SYSTEM "file:///etc/passwd">]><entry')],
  [
    'entities that grow',
    good.replace('<entry', '<!DOCTYPE entry [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><entry'),
  ],
  ['a reference that does not exist', good.replace('>p<', '>&p;<')],
  ['a character that does not exist', good.replace('>p<', '>&#x110000;<')],
  ['a prefix that is not declared', good.replace('<d:RowKey', '<x:RowKey').replace('</d:RowKey', '</x:RowKey')],
  ['a property in another namespace', good.replaceAll('d:RowKey', 'm:RowKey')],
  ['no namespaces', '<entry><content><properties><PartitionKey>p</PartitionKey></properties></content></entry>'],
  ['an entry in another namespace', good.replace('http://www.w3.org/2005/Atom', 'http://www.w3.org/2006/Atom')],
  ['properties in another namespace', good.replace('dataservices/metadata"', 'dataservices/metadata/"')],
  ['no content', `<entry ${namespaces}/>`],
  ['two contents', good.replace('<content', '<content /><content')],
  ['nothing but properties', `<m:properties ${namespaces}>${keys}</m:properties>`],
  ['deep elements', inProperties('<d:A>')],
  ['deep elements that end', `${'<a>'.repeat(2000)}${'</a>'.repeat(2000)}`],
  ['a million elements', inProperties('<d:A/>')],
  [
    'a million elements between comments with the marks of CDATA',
    fill('<a/>', `${good.slice(0, -'</entry>'.length)}<!-- <![CDATA[ -->`, '<!-- ]]> --></entry>'),
  ],
  ['endless attributes after one with a bracket', fill(' a=""', '<entry a=">"', '/>')],
  ['endless attributes', fill(' a=""', '<entry', '/>')],
  [
    'attributes with names of their own',
    `<entry ${Array.from({ length: 200_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
  ],
  ['an endless name', fill('x', '<', '/>')],
  ['an endless tag', fill(' ', '<entry', '/>')],
  ['an attribute that does not end', fill('x', '<entry a="')],
  ['only opening brackets', fill('<')],
  ['only ampersands', inProperties('&')],
  ['a comment that does not end', fill('-', '<entry><!--')],
  ['comments', inProperties('<!-- -->')],
  ['CDATA that does not end', fill('<![CDATA[', '<entry>')],
  ['processing instructions', inProperties('<?x?>')],
  ['blanks', fill(' ')],
];

describeService('Hostile XML', ({ client, withTable, withEntity }) => {
  it.each(documents)('F26 with %s is rejected, and stores nothing', async (_, body) => {
    const { table, path, etag } = await withEntity();

    expectTableError(await client.post(`/${table}`, body, inAtom), 400, 'InvalidInput', { set: 'B1' });
    expectTableError(await client.put(path, body, inAtom), 400, 'InvalidInput', { set: 'B1' });
    expectTableError(await client.post('/Tables', body, inAtom), 400, 'InvalidInput', { set: 'B1' });

    expect((await client.get(path)).headers['etag']).toBe(etag);
    expect((await client.get(`/${table}`)).rows).toHaveLength(1);
  });

  it('F26 with a value of 4 MB is rejected for its size', async () => {
    const table = await withTable();

    const answer = await client.post(
      `/${table}`,
      fill('x', good.replace('</m:properties></content></entry>', '<d:A>'), '</d:A></m:properties></content></entry>'),
      inAtom,
    );

    expectTableError(answer, 400, 'EntityTooLarge');
  });

  it('with the words of a document type in CDATA is stored', async () => {
    const table = await withTable();
    const page = '<!doctype html>';

    const answer = await client.post(`/${table}`, entryOf(`${keys}<d:A><![CDATA[${page}]]></d:A>`), inAtom);

    expect(answer.status, answer.body).toBe(201);
    expect((await client.get(`/${table}`)).rows).toMatchObject([{ A: page }]);
  });

  it.each(['toString', 'constructor', 'prototype', '__proto__'])(
    'with a property %s without a prefix is stored under its name, though objects inherit it',
    async (name) => {
      const table = await withTable();
      const namespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices';
      const body = entryOf(`${keys}<${name} xmlns="${namespace}">x</${name}>`);

      const answer = await client.post(`/${table}`, body, inAtom);

      expect(answer.status, answer.body).toBe(201);
      expect((await client.get(`/${table}`)).body).toContain(`"${name}":"x"`);
    },
  );

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'with a property of the name %s is stored, as in JSON',
    async (name) => {
      const table = await withTable();
      const body = entryOf(`${keys}<d:${name}>x</d:${name}>`);

      const answer = await client.post(`/${table}`, body, inAtom);

      expect(answer.status, answer.body).toBe(201);
      expect(answer.body).toContain(`<d:${name}>x</d:${name}>`);
      expect((await client.get(`/${table}`)).body).toContain(`"${name}":"x"`);
    },
  );
});
