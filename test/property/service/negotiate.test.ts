import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataLevels } from '../../../src/protocol/values/edm.js';
import { negotiateFormat } from '../../../src/service/negotiate.js';

const newest = '2019-02-02';
const blanks = fc.constantFrom('', ' ', '\t', '  ');
const token = fc.stringMatching(/^[a-z][a-z0-9.-]{0,5}$/).filter((name) => name !== 'odata');
/** The text of a parameter's value, as a token or in quotes. Source: RFC 9110, section 5.6.4. */
const quoted = fc
  .string({ maxLength: 8 })
  .map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`)
  .filter((text) => !/[^\t -~]/.test(text));
const spelled = (name: string, value: string) =>
  fc.tuple(blanks, blanks, blanks, fc.boolean(), fc.boolean()).map(([a, b, c, isQuoted, isLower]) => {
    const written = isLower ? value : value.toUpperCase();
    return `${a}${name}${b}=${c}${isQuoted ? `"${written}"` : written}`;
  });
const other = fc
  .tuple(token, blanks, fc.oneof(token, quoted))
  .map(([name, blank, value]) => `${blank}${name}=${value}`);

describe('Accept', () => {
  it('names a level of JSON in any spelling, among any other parameters and types', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...metadataLevels).chain((level) => fc.tuple(fc.constant(level), spelled('odata', level))),
        fc.array(other, { maxLength: 3 }),
        fc.array(other, { maxLength: 3 }),
        fc.array(fc.tuple(fc.constantFrom('text/html', 'image/*'), fc.array(other, { maxLength: 2 })), {
          maxLength: 2,
        }),
        ([level, odata], before, after, types) => {
          const json = ['application/json', ...before, odata, ...after].join(';');
          const list = [...types.map(([type, more]) => [type, ...more].join(';')), json].join(', ');
          expect(negotiateFormat(undefined, list, newest, true)).toBe(level);
        },
      ),
    );
  });
});
