import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forTerminal } from '../../../src/commands/output.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** What terminals execute, and what reverses the rest of a line. */
const dangerous = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const codes = [...Array(0xa1).keys(), 0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069, 0xd800];

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...codes).map((code) => String.fromCharCode(code)),
    fc.string({ unit: 'binary', maxLength: 1 }),
  ),
});

describe('A text for a terminal', () => {
  it('has nothing that a terminal executes or reorders', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(forTerminal(one)).not.toMatch(dangerous);
      }),
      { numRuns: runs(200) },
    );
  });

  it('that is JSON stays the same JSON', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(JSON.parse(forTerminal(JSON.stringify({ one })))).toEqual({ one });
      }),
      { numRuns: runs(200) },
    );
  });

  it('stays as it is if it has none of these', () => {
    expect(forTerminal('a\tb\n日本語 é 😀')).toBe('a\tb\n日本語 é 😀');
    expect(forTerminal('\u001b]0;x\u0007 \u009b2J a\u202egpj')).toBe('\\u001b]0;x\\u0007 \\u009b2J a\\u202egpj');
  });
});
