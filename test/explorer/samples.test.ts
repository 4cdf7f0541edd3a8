import fc from 'fast-check';
import { expect, it } from 'vitest';
import { snippets } from '../../src/explorer/connect/snippets.js';
import { samples } from '../../src/explorer/data/samples.js';
import { runs } from '../support/arbitrary/property-runs.js';

/** The characters that end a line in C#, so a string literal cannot contain them. */
const newLine = /[\r\n\u0085\u2028\u2029]/;

it('A query copied as C# has its texts in literals without line ends, which mean the same', () => {
  const csharp = samples.find(({ label }) => label === 'C#');
  const text = fc.string({ unit: fc.constantFrom(...'"\\a\u0001\r\n\u0085\u2028\u2029😀\ud800') });
  fc.assert(
    fc.property(text, text, fc.array(text, { maxLength: 3 }), (table, filter, select) => {
      const written = csharp?.write({ root: '', account: 'a', table, filter, select }) ?? '';
      const literals = written.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
      expect(literals.filter((literal) => newLine.test(literal))).toEqual([]);
      const texts = literals.map((literal) => JSON.parse(literal));
      for (const sent of [table, ...select]) expect(texts).toContain(sent);
    }),
    { numRuns: runs(200) },
  );
});

it('The first lines of a program can run twice: they create the table if it is missing, and upsert', () => {
  for (const { lines } of Object.values(snippets)) {
    expect(lines).toMatch(/upsert/i);
    expect(lines).not.toMatch(/create_?Entity|AddEntity/i);
  }
});
