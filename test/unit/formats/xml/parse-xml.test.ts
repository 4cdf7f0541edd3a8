import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseXml } from '../../../../src/formats/xml/parse-xml.js';
import {
  markupUnitsMax,
  textReferencesMax,
  xmlElementsMax,
  xmlReferencesMax,
  xmlTextUnitsMax,
} from '../../../../src/protocol/limits.js';
import { codeOf } from '../../../support/answers/rejection-of.js';

describe('parseXml', () => {
  it('returns names, attributes, text and children as they are written', () => {
    const root = parseXml('\ufeff<?xml version="1.0"?><a:b x:y="1 &amp; 2"> t<c/><![CDATA[<]]>&#x41; </a:b>\n');

    expect(root).toEqual({
      name: 'a:b',
      attributes: new Map([['x:y', '1 & 2']]),
      text: ' t<A ',
      children: [{ name: 'c', attributes: new Map(), text: '', children: [] }],
    });
  });

  it.each([
    '',
    'a',
    '<a>',
    '<a/><b/>',
    '<a/>b',
    '<a x="1" x="2"/>',
    '<a>&b;</a>',
    '<a>&#X41;</a>',
    '<a>&</a>',
    '<a>b &amp</a>',
    'b<a></a>',
    '<b></b>c<a></a>',
    '<a>&#x110000;</a>',
    '<!DOCTYPE a><a/>',
  ])('returns nothing for %o', (text) => {
    expect(parseXml(text)).toBeUndefined();
  });

  it('returns any text as it is, between whatever', () => {
    const pieces = [
      'x',
      '0;',
      '12;',
      ' ',
      '\n',
      '\r',
      '\r\n',
      '$1',
      '>',
      '&lt;',
      '&amp;',
      '&#48;',
      '&#13;',
      '&#x1F600;',
      'é',
    ];
    const text = fc.array(fc.constantFrom(...pieces, ']]>'), { maxLength: 6 }).map((some) => some.join(''));
    const literal = fc.array(fc.constantFrom(...pieces, '<b>', ']]'), { maxLength: 6 }).map((some) => some.join(''));
    const lines = (sent: string) => sent.replace(/\r\n?/g, '\n');
    const read = (sent: string) =>
      lines(sent)
        .replaceAll('&lt;', '<')
        .replaceAll('&#48;', '0')
        .replaceAll('&#13;', '\r')
        .replaceAll('&#x1F600;', '😀')
        .replaceAll('&amp;', '&');
    fc.assert(
      fc.property(text, text, text, literal, (before, within, after, raw) => {
        fc.pre(!`${raw}]]>`.includes(']]>>') && !raw.includes(']]>'));
        const root = parseXml(`<a>${before}<b c="1;">${within}</b><!-- 3; -->${after}<![CDATA[${raw}]]></a>`);

        expect(root?.text).toBe(`${read(before)}${read(after)}${lines(raw)}`);
        expect(root?.children).toMatchObject([{ text: read(within), attributes: new Map([['c', '1;']]) }]);
      }),
    );
  });

  it('accepts markup up to its limits, and no more', () => {
    const elements = (count: number) => `<a>${'<b/>'.repeat(count - 2)}</a>`;
    const tag = (units: number) => `<a b="${'x'.repeat(units - '<a b=""/>'.length)}"/>`;

    expect(parseXml(elements(xmlElementsMax))?.children).toHaveLength(xmlElementsMax - 2);
    expect(parseXml(elements(xmlElementsMax + 1))).toBeUndefined();
    expect(parseXml(tag(markupUnitsMax))).toBeDefined();
    expect(parseXml(tag(markupUnitsMax + 1))).toBeUndefined();
  });

  it.each([
    ['<a>', '&lt;', '</a>', '<'],
    ['<a>', '&#0009;', '</a>', '\t'],
    ['<a>', '\r', '</a>', '\n'],
    ['<a><![CDATA[', '\r', ']]></a>', '\n'],
  ])('reads no more references than a string can have, and keeps the rest: %s%j%s', (start, text, end, read) => {
    const textOf = (count: number) => parseXml(start + text.repeat(count) + end)?.text;

    expect(textOf(textReferencesMax)).toBe(read.repeat(textReferencesMax));
    expect(textOf(textReferencesMax + 3)).toBe(read.repeat(textReferencesMax) + text.repeat(3));
    expect(textOf(xmlTextUnitsMax + 3)).toHaveLength(xmlTextUnitsMax);
  });

  it.each([
    ['<a>', 'x', '</a>', xmlTextUnitsMax],
    ['<a>&lt;', 'x', '</a>', xmlTextUnitsMax - 1],
    ['<a><![CDATA[', '&', ']]></a>', xmlTextUnitsMax],
  ])('leaves out what is beyond the largest text: %s%s%s', (start, text, end, most) => {
    const lengthOf = (count: number) => parseXml(start + text.repeat(count) + end)?.text.length;

    expect(lengthOf(most - 1)).toBe(xmlTextUnitsMax - 1);
    for (const count of [most, most + 1, most + 100_000]) expect(lengthOf(count)).toBe(xmlTextUnitsMax);
  });

  it('accepts as many references in all texts as an entity can have, and no more', () => {
    const count = 1024;
    const texts = (last: string) =>
      `<a>${`<b>${'&lt;'.repeat(xmlReferencesMax / count)}</b>`.repeat(count)}${last}</a>`;

    expect(parseXml(texts(''))?.children).toHaveLength(count);
    expect(codeOf(() => parseXml(texts('&lt;')))).toBe('EntityTooLarge');
  });

  it.each(['<a/><![CDATA[b]]>', '<a></a><![CDATA[b]]>', '<![CDATA[b]]><a></a>', '<![CDATA[b]]>'])(
    'returns nothing for %o, where CDATA is outside the root',
    (text) => {
      expect(parseXml(text)).toBeUndefined();
    },
  );

  it('does not count what is in CDATA as markup', () => {
    const text = '<'.repeat(2 * xmlElementsMax);

    expect(parseXml(`<a><![CDATA[${text}]]></a>`)?.text).toBe(text);
  });

  const elements = '<b/>'.repeat(xmlElementsMax);
  const attributes = Array.from({ length: markupUnitsMax / 4 }, (_, at) => ` a${at}=""`).join('');

  it.each([
    ['elements between comments with the marks of CDATA', `<a><!-- <![CDATA[ -->${elements}<!-- ]]> --></a>`],
    ['elements between attributes with the marks of CDATA', `<a b="<![CDATA[">${elements}<c d="]]>"/></a>`],
    ['attributes after one with a bracket', `<a b=">"${attributes}/>`],
    ['attributes after one with a bracket, in single quotes', `<a b='">'${attributes}/>`],
    ['a comment that is too long', `<a><!--${'>'.repeat(markupUnitsMax)}--></a>`],
    ['an instruction that is too long', `<a><?b ${'>'.repeat(markupUnitsMax)}?></a>`],
  ])('counts %s', (_, text) => {
    expect(parseXml(text)).toBeUndefined();
  });

  it.each(['<a><!-- b></a>', '<a><!--></a>', '<a><![CDATA[</a>', '<a><?b></a>', '<a b="></a>', '<a><?></a>'])(
    'returns nothing for %o, where something does not end',
    (text) => {
      expect(parseXml(text)).toBeUndefined();
    },
  );

  it('ends an instruction at its first mark of an end, also between quotes', () => {
    expect(parseXml('<a><?b "?><c/><?b "?></a>')).toMatchObject({ children: [{ name: 'c' }] });
    expect(parseXml("<a><?b it's?></a>")).toMatchObject({ name: 'a' });
  });

  it.each(['<?><a></c>?><a/>', ' <a/><?xml version="1.0"?>', '<a><?xml version="1.0"?></a>'])(
    'returns nothing for %o, where an instruction has no valid name',
    (text) => {
      expect(parseXml(text)).toBeUndefined();
    },
  );

  it.each(['<!doctype a><a/>', '<a><!b></a>', '<a><!ENTITY b "c"></a>', '<a><![cdata[b]]></a>'])(
    'returns nothing for %o, which is neither a comment nor CDATA',
    (text) => {
      expect(parseXml(text)).toBeUndefined();
    },
  );

  it('accepts the words of a document type in CDATA, in a comment and in an instruction', () => {
    const page = '<!doctype html><!DOCTYPE html>';

    expect(parseXml(`<a><![CDATA[${page}]]></a>`)?.text).toBe(page);
    expect(parseXml(`<!-- ${page} --><a>b</a>`)?.text).toBe('b');
    expect(parseXml(`<a><?c ${page} ?>b</a>`)?.text).toBe('b');
  });

  it.each(['toString', 'valueOf', 'hasOwnProperty', '__defineGetter__', '__lookupSetter__'])(
    'keeps the name %s, which objects inherit',
    (name) => {
      const root = parseXml(`<a ${name}="1"><${name}>b</${name}><${name}/></a>`);

      expect(root?.attributes).toEqual(new Map([[name, '1']]));
      expect(root?.children.map((child) => [child.name, child.text])).toEqual([
        [name, 'b'],
        [name, ''],
      ]);
    },
  );
});
