// Writes docs/compatibility.md from a run of the tests that speak the protocol: `npm run write -- compatibility`.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

/** The tests of each chapter of the protocol: files below `test`, without their ending. */
const chapters = {
  'Create, query, get and delete tables': [/^conformance\/((create|query|get|delete)-tables?|analytics-tables)$/],
  'Insert Entity, values and limits': [/^conformance\/insert-/],
  'Get and Query Entities, `$filter`, `$select`, `$top`, continuation': [
    /^conformance\/(get-entity|query-entities|query-filter|slow-readers)$/,
  ],
  'Update, merge, upserts, delete; `If-Match`, `X-HTTP-Method`': [
    /^conformance\/(update-entity|update-rules|update-preference|merge-entity|delete-entity|if-match(-instants)?|x-http-method)$/,
  ],
  'Entity group transactions': [/^conformance\/batch-/],
  'Atom, and which format an answer has': [/^conformance\/atom-/],
  'Headers of every answer': [/^conformance\/common-headers$/],
  'Addresses of accounts, tables and entities': [/^conformance\/addresses$/],
  'Shared Key and Shared Key Lite': [/^conformance\/shared-key$/],
  'Shared access signatures and stored access policies': [
    /^conformance\/(shared-access-signature|(get|set)-table-acl)/,
  ],
  'Bearer tokens': [/^conformance\/bearer-token$/],
  HTTPS: [/^conformance\/https$/],
  'Service properties and statistics, the secondary endpoint': [/^conformance\/(get|set)-service-/],
  'Other origins (CORS)': [/^conformance\/cors/],
  'Names that JavaScript objects have, such as `__proto__`': [/^conformance\/prototype-names$/],
  'No secret in any log': [/^conformance\/log-secrets$/],
  'The examples of the [design patterns](patterns.md)': [/^sdk\/(patterns\/|stand-ins$)/],
  'Answers that differ on purpose ([divergences](divergences.md))': [/^divergences\//],
};

/** Unmodified clients, and the test files that run them. */
const clients = {
  '@azure/data-tables': /^sdk\/(delegated-)?data-tables/,
  'azure-storage': /^sdk\/(delegated-)?azure-storage/,
  'a browser (headless Chromium)': /^sdk\/browser-/,
};

const folders = ['test/conformance', 'test/divergences', 'test/sdk'];
const results = runTests();
const counts = new Map(results.map(({ name, assertionResults }) => [nameOf(name), countOf(assertionResults)]));
const used = new Set();
const page = [
  '# Compatibility',
  '',
  'Written by `npm run write -- compatibility` from a run of the tests that speak the protocol. Each check is a request and the answer',
  'that the service gives, recorded or documented: status, code, headers, body.',
  '',
  `This run was on ${new Date().toISOString().slice(0, 10)}, on Node ${process.versions.node}.`,
  '',
  '| chapter | checks passed | tests |',
  '| --- | --: | --- |',
  ...Object.entries(chapters).map(([title, patterns]) => row(title, patterns)),
  '',
  '| client | checks passed | tests |',
  '| --- | --: | --- |',
  ...Object.entries(clients).map(([title, pattern]) => row(`${title}${versionOf(title)}`, [pattern])),
  '',
  'What is not served, and what is answered differently on purpose, is in [divergences.md](divergences.md).',
  '',
];
const forgotten = [...counts.keys()].filter((name) => !used.has(name));
if (forgotten.length > 0) throw new Error(`Add these files to a chapter: ${forgotten.join(', ')}`);
writeFileSync('docs/compatibility.md', page.join('\n'));

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'compatibility-'));
  const file = join(folder, 'results.json');
  try {
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    execFileSync(process.execPath, [vitest, 'run', ...folders, '--reporter=json', `--outputFile=${file}`], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function nameOf(path) {
  return relative('test', path)
    .replaceAll('\\', '/')
    .replace(/\.test\.ts$/, '');
}

function countOf(checks) {
  const of = (status) => checks.filter((check) => check.status === status).length;
  return { passed: of('passed'), others: checks.length - of('passed') };
}

function row(title, patterns) {
  const files = [...counts.keys()].filter((name) => patterns.some((pattern) => pattern.test(name))).sort();
  if (files.length === 0) throw new Error(`No test file belongs to the chapter "${title}"`);
  for (const file of files) used.add(file);
  const passed = files.reduce((sum, file) => sum + counts.get(file).passed, 0);
  const others = files.reduce((sum, file) => sum + counts.get(file).others, 0);
  const links = files.map((file) => `[${basename(file, '.slow')}](../test/${file}.test.ts)`).join(', ');
  return `| ${title} | ${passed}${others > 0 ? ` of ${passed + others}` : ''} | ${links} |`;
}

function versionOf(name) {
  const path = join('node_modules', name, 'package.json');
  return existsSync(path) ? ` ${JSON.parse(readFileSync(path, 'utf8')).version}` : '';
}
