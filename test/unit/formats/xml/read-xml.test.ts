import { describe, expect, it } from 'vitest';
import { readXml, type XmlElement } from '../../../../src/formats/xml/read-documents.js';
import type { TableError } from '../../../../src/protocol/errors.js';

/** Prints an element as `name(text)[children]`, which is easier to read than objects. */
const print = ({ name, text, children }: XmlElement): string =>
  `${name}${text && `(${text})`}${children.length > 0 ? `[${children.map(print).join(',')}]` : ''}`;

describe('readXml', () => {
  it.each([
    ['<a/>', 'a'],
    ['<a></a>', 'a'],
    ['<a> x </a>', 'a(x)'],
    ['<a><b>1</b><b>2</b><c/></a>', 'a[b(1),b(2),c]'],
    ['<a>\r\n  <b>1</b>\r\n</a>', 'a[b(1)]'],
    ['<a x="1" y=\'2\'><b xmlns="urn:x">1</b></a>', 'a[b(1)]'],
    ['<!-- before --><a><!-- within <b/> -->x</a><!-- after -->', 'a(x)'],
    ['<a>1.0</a>', 'a(1.0)'],
    ['<a>true</a>', 'a(true)'],
    ['<a>007</a>', 'a(007)'],
    ['<a>&lt;&gt;&amp;&quot;&apos;</a>', 'a(<>&"\')'],
    ['<a>&amp;lt;</a>', 'a(&lt;)'],
    ['<a>&#34;&#x27;&#233;&#xE9;&#x1F600;</a>', 'a("\'éé😀)'],
    ['<a>x <![CDATA[<b> & &amp;]]> y</a>', 'a(x <b> & &amp; y)'],
    ['\ufeff<?xml version="1.0" encoding="utf-8"?>\n<a/>', 'a'],
  ])('reads %j', async (text, printed) => {
    expect(print(await readXml(text))).toBe(printed);
  });

  it.each([
    '',
    'text',
    '<a>',
    '</a>',
    '<a></b>',
    '<a><b></a></b>',
    '<a/><b/>',
    '<a/>text',
    'text<a/>',
    '<a',
    '<a x=1/>',
    '<a x="1" x="2"/>',
    '<1a/>',
    '<a>&nbsp;</a>',
    '<a>&lt</a>',
    '<a>&</a>',
    '<a>&#x110000;</a>',
    '<a>&#;</a>',
    '<?xml version="1.0"?>',
    '<!-- only -->',
    '<!DOCTYPE a><a/>',
    '<!doctype a [<!ENTITY b "c">]><a>&b;</a>',
    '{"a":1}',
    '\0',
  ])('rejects %j', async (text) => {
    await expect(readXml(text)).rejects.toMatchObject({ code: 'InvalidXmlDocument' });
  });

  it('rejects a document with 200,000 nested elements', async () => {
    const depth = 200_000;

    const reading = readXml(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`);

    await expect(reading).rejects.toMatchObject({ code: 'InvalidXmlDocument' });
  });

  it.each(['__proto__', 'prototype', 'constructor'])('reads an element %s as any other', async (name) => {
    expect(print(await readXml(`<a><${name}><x>1</x></${name}></a>`))).toBe(`a[${name}[x(1)]]`);
    expect({}).not.toHaveProperty('x');
  });

  it('reads a document of up to 262,144 characters, and says that a longer one is too long', async () => {
    const longest = `<a>${'x'.repeat(256 * 1024 - 7)}</a>`;
    expect((await readXml(longest)).text).toHaveLength(256 * 1024 - 7);

    const error = await readXml(`${longest} `).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'InvalidXmlDocument' });
    expect((error as TableError).evidence?.()).toMatchObject({
      fault: { expected: 'the end of the document, which may have 262144 characters,', place: { at: 256 * 1024 } },
    });
  });
});
