import { describe, expect, it } from 'vitest';
import { parseXml } from '../../../../src/formats/xml/parse-xml.js';
import { markupUnitsMax, xmlElementsMax } from '../../../../src/protocol/limits.js';

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
    '<a>&#x110000;</a>',
    '<!DOCTYPE a><a/>',
  ])('returns nothing for %o', (text) => {
    expect(parseXml(text)).toBeUndefined();
  });

  it('accepts markup up to its limits, and no more', () => {
    const elements = (count: number) => `<a>${'<b/>'.repeat(count - 2)}</a>`;
    const tag = (units: number) => `<a b="${'x'.repeat(units - '<a b=""/'.length)}"/>`;

    expect(parseXml(elements(xmlElementsMax))?.children).toHaveLength(xmlElementsMax - 2);
    expect(parseXml(elements(xmlElementsMax + 1))).toBeUndefined();
    expect(parseXml(tag(markupUnitsMax))).toBeDefined();
    expect(parseXml(tag(markupUnitsMax + 1))).toBeUndefined();
  });

  it('does not count what is in CDATA as markup', () => {
    const text = '<'.repeat(2 * xmlElementsMax);

    expect(parseXml(`<a><![CDATA[${text}]]></a>`)?.text).toBe(text);
  });
});
