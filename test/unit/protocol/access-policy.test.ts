import { describe, expect, it } from 'vitest';
import { readPolicyInstant } from '../../../src/protocol/access/access-policy.js';
import { escapeXmlText } from '../../../src/protocol/xml/xml-text.js';

describe('A time of a stored access policy', () => {
  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.0000000Z'],
    ['2026-11-21T12:30Z', '2026-11-21T12:30:00.0000000Z'],
    ['2026-11-21T12:30:15.25Z', '2026-11-21T12:30:15.2500000Z'],
    ['2026-11-21T12:30:15.1234567Z', '2026-11-21T12:30:15.1234567Z'],
    ['2026-11-21T12:30:15+01:00', '2026-11-21T11:30:15.0000000Z'],
  ])('%s is returned with seven fraction digits: %s', (text, written) => {
    expect(readPolicyInstant(text)).toBe(written);
  });

  it.each(['', 'tomorrow', '2026-02-30', '2026-11-21T12:30:15.12345678Z', '1600-01-01'])('is not %j', (text) => {
    expect(readPolicyInstant(text)).toBeUndefined();
  });
});

describe('A text in XML', () => {
  it('has its three special characters escaped, wherever they are', () => {
    expect(escapeXmlText('a<b>&<c>&"\'')).toBe('a&lt;b&gt;&amp;&lt;c&gt;&amp;"\'');
  });
});
