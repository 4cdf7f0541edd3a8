import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReferences } from '../../../src/protocol/xml/xml-references.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** One of the ways to write a character, with the character. */
const written = fc
  .tuple(
    fc.oneof(fc.constantFrom('<', '>', '&', '"', "'"), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
    fc.constantFrom('named', 'decimal', 'hex', 'HEX', 'itself'),
    fc.nat(5),
  )
  .map(([character, way, zeros]): readonly [sent: string, read: string] => {
    const code = character.codePointAt(0) ?? 0;
    const names: Readonly<Record<string, string>> = { '<': 'lt', '>': 'gt', '&': 'amp', '"': 'quot', "'": 'apos' };
    const name = names[character];
    if (way === 'named' && name !== undefined) return [`&${name};`, character];
    if (way === 'hex') return [`&#x${'0'.repeat(zeros)}${code.toString(16)};`, character];
    if (way === 'HEX') return [`&#X${'0'.repeat(zeros)}${code.toString(16).toUpperCase()};`, character];
    if (way === 'decimal' || character === '&') return [`&#${'0'.repeat(zeros)}${code};`, character];
    return [character, character];
  });

describe('References in XML', () => {
  it('are read as the characters that they stand for, among any others', () => {
    fc.assert(
      fc.property(fc.array(written), (texts) => {
        const [sent, read] = [texts.map(([text]) => text).join(''), texts.map(([, text]) => text).join('')];
        expect(readReferences(sent)).toBe(read);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['&'],
    ['&;'],
    ['&lt'],
    ['&lt &gt;'],
    ['&l;'],
    ['&LT;'],
    ['&quos;'],
    ['&quott;'],
    ['&\0lt;'],
    ['&l\u0174;'],
    ['&toString;'],
    ['&#;'],
    ['&#x;'],
    ['&#12a;'],
    ['&#x12g;'],
    ['&# 12;'],
    ['&#1114112;'],
    ['&#x110000;'],
    [`&#${'9'.repeat(400)};`],
    ['&lt;&#38'],
  ])('are rejected if they are none: %j', (text) => {
    expect(() => readReferences(text)).toThrow(RangeError);
  });
});
