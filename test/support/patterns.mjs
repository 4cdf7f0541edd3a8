// Writes docs/patterns.md from a run of the examples in test/sdk/patterns: `npm run write -- patterns`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The examples of each chapter, in the order of the design guide. */
const chapters = {
  'Find by another key': [
    'intra-partition-index',
    'inter-partition-index',
    'index-entities',
    'index-entities-elsewhere',
    'index-in-a-blob',
  ],
  'Keep consistent across partitions': ['eventually-consistent'],
  'Choose what an entity holds': [
    'denormalization',
    'compound-key',
    'data-series',
    'wide-entities',
    'large-entities',
    'heterogeneous-types',
  ],
  'Read the newest, delete the oldest': ['log-tail', 'high-volume-delete'],
  'Model relationships': ['one-to-many', 'one-to-one', 'join-in-the-client', 'inheritance'],
  'Read and write well': [
    'optimistic-concurrency',
    'merge-or-replace',
    'projection',
    'continuation-tokens',
    'parallel-queries',
    'shared-access-keys',
  ],
  'Anti-patterns': [
    'anti-append',
    'anti-log-data',
    'anti-lookup-by-property',
    'anti-row-key-alone',
    'anti-or-on-keys',
    'anti-single-partition',
    'anti-contention',
    'anti-read-then-write',
    'anti-reads-one-by-one',
    'anti-writes-one-by-one',
    'anti-deletes-one-by-one',
    'anti-first-page-only',
    'anti-table-name-reused',
  ],
};

const examples = 'test/sdk/patterns';
const intro = `# Design patterns

The patterns and anti-patterns of Microsoft's
[Table design guide](https://learn.microsoft.com/azure/storage/tables/table-storage-design-guide), each with a program that runs
against this server. The guide's programs are written in C# for a library that is no longer maintained; these use
\`@azure/data-tables\`. \`npm run write -- patterns\` generates this page from a run, and the tests fail if it is out of date.

- **Transactions** are requests that Azure bills. A page of a query is one, and so is a whole entity group transaction.
- **Class** is how Azure finds the entities, from cheap to expensive: \`point\`, \`row-range\`, \`partition-scan\`, \`partition-range\` and
  \`table-scan\`.
- **Read** is how many entities were read, **returned** how many of them the client received.
- The [coach](coach.md) reports nothing for the patterns. Its findings for an anti-pattern follow the table.
- In the programs, \`QueueStandIn\` and \`BlobStandIn\` replace a queue and a blob container;
  [a test](../test/sdk/stand-ins.test.ts) compares them with Azurite.
`;

const folder = mkdtempSync(join(tmpdir(), 'patterns-'));
try {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  // The tests compare the page, which is old. What they measured is written before they do.
  runQuietly([vitest, 'run', examples], folder);
  const listed = Object.values(chapters).flat();
  const missing = listed.filter((name) => !readdirSync(folder).includes(`${name}.md`));
  if (missing.length > 0)
    throw new Error(`These examples failed: ${missing.join(', ')}. Run npx vitest run ${examples}.`);
  const forgotten = readdirSync(folder).filter((file) => !listed.includes(file.replace('.md', '')));
  if (forgotten.length > 0) throw new Error(`Add these examples to a chapter: ${forgotten.join(', ')}`);
  const sections = Object.entries(chapters).flatMap(([title, names]) => [
    `## ${title}\n`,
    ...names.map((name) => `${readFileSync(join(folder, `${name}.md`), 'utf8')}\n`),
  ]);
  writeFileSync('docs/patterns.md', [intro, ...sections].join('\n'));
} finally {
  rmSync(folder, { recursive: true });
}

function runQuietly(args, TABULARIUM_PATTERNS) {
  try {
    execFileSync(process.execPath, args, { stdio: 'ignore', env: { ...process.env, TABULARIUM_PATTERNS } });
  } catch (error) {
    if (error.status === null) throw error;
  }
}
