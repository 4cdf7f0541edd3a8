import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { TableClient } from '@azure/data-tables';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstProgram, languages, writeCurl, writeQuery } from '../../src/explorer/parts/programs.js';
import { startTabularium } from '../../src/index.js';
import { runs } from '../support/arbitrary/property-runs.js';

/** The characters that end a line in C#, so a string literal cannot contain them. */
const newLine = /[\r\n\u0085\u2028\u2029]/;

it('A query copied as C# has its texts in literals without line ends, which mean the same', () => {
  const csharp = languages.find(({ label }) => label === 'C#');
  const text = fc.string({ unit: fc.constantFrom(...'"\\a\u0001\r\n\u0085\u2028\u2029😀\ud800') });
  fc.assert(
    fc.property(text, text, fc.array(text, { maxLength: 3 }), (table, filter, select) => {
      const written = csharp ? writeQuery(csharp, { root: '', account: 'a', table, filter, select }) : '';
      const literals = written.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
      expect(literals.filter((literal) => newLine.test(literal))).toEqual([]);
      const texts = literals.map((literal) => JSON.parse(literal));
      for (const sent of [table, ...select]) expect(texts).toContain(sent);
    }),
    { numRuns: runs(200) },
  );
});

it('The first lines of a program can run twice: they create the table if it is missing, and upsert', () => {
  for (const lines of languages.map(firstProgram)) {
    expect(lines).toMatch(/upsert/i);
    expect(lines).not.toMatch(/create_?Entity|AddEntity/i);
  }
});

it.skipIf(spawnSync('curl', ['--version']).error)(
  'A query copied for curl runs as it is, in a POSIX shell',
  async () => {
    await using server = await startTabularium();
    const table = TableClient.fromConnectionString(server.connectionString, 'Orders', {
      allowInsecureConnection: true,
    });
    await table.createTable();
    await table.createEntity({ partitionKey: "O'Hara & $x", rowKey: 'r', Total: 2 });
    const account = 'devstoreaccount1';
    for (const filter of ['', "PartitionKey eq 'O''Hara & $x' and Total gt 1"]) {
      const text = writeCurl({ root: server.url, account, table: 'Orders', filter, select: ['Total'] });
      const { stdout } = await promisify(execFile)('sh', ['-c', text.replace('curl -G', 'curl --silent -G')]);
      expect(JSON.parse(stdout).value).toMatchObject([{ Total: 2 }]);
    }
  },
);

it('Each copied program is complete: its imports and its entry point are there', () => {
  const query = { root: '', account: 'a', table: 'T', filter: 'A eq 1', select: ['A'] };
  const texts = languages.flatMap((one) =>
    [writeQuery(one, query), firstProgram(one)].map((text) => [one.label, text]),
  );
  for (const [label, text = ''] of texts) {
    if (label === 'Java') expect(text).toMatch(/^import com\.azure[\s\S]*public static void main/m);
    if (label === 'Go') expect(text).toMatch(/^package main[\s\S]*import \([\s\S]*func main\(\)/m);
  }
});
