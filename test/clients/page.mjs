// Writes docs/clients.md. Rows of suites that did not run stay as they are.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const file = 'docs/clients.md';
const headings = {
  clients: [
    '| suite | client | version | checks held | cannot express | failed | ran |',
    '| --- | --- | --- | --: | --: | --: | --- |',
  ],
  frameworks: ['| suite | package | version | steps passed | failed | ran |', '| --- | --- | --- | --: | --: | --- |'],
  exceptions: ['| suite | client | check | why |', '| --- | --- | --- | --- |'],
};

/** What the page says about .NET until its suite has run on this machine. */
const dotnet = [
  '**.NET** ran on another machine, with the .NET SDK 10, in November 2026: of its [suite](../test/clients/dotnet/README.md),',
  '`Azure.Data.Tables` 12.13.0 held 180 of 182 checks, and cannot express the other two. `Microsoft.Azure.Cosmos.Table` 1.0.8 and',
  '`WindowsAzure.Storage` 9.3.3 have projects of the same checks.',
  '',
];

/** Replaces the rows of the suites that ran. */
export function writePage(ran) {
  const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kept = (title) => {
    const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
    const rows = section.split('\n').filter((line) => /^\| (?!---|suite )/.test(line));
    return rows.filter((line) => !ran.some(({ suite }) => line.startsWith(`| ${suite} |`)));
  };
  const sorted = (rows) => [...rows].sort((a, b) => (a.split(' | ')[0] < b.split(' | ')[0] ? -1 : 1));
  const table = (title, columns, rows) => [`## ${title}`, '', ...columns, ...sorted([...kept(title), ...rows]), ''];
  const each = (write) =>
    ran.flatMap(({ suite, where, clients }) => clients.flatMap((one) => write(suite, one, where)));
  const text = [
    '# Clients',
    '',
    'Written by `npm run write -- clients` from runs of unmodified clients against this server. The checks are in',
    '[test/clients/checks.md](../test/clients/checks.md). Some clients cannot express some checks, or reject them before they send',
    'a request; the last table says which.',
    '',
    'Not run here: C++, whose package the registries that were reached do not have; `azure-storage-logging`, whose old',
    'dependencies cannot be installed; and the state store of Dapr, whose Go module could not be fetched.',
    '',
    ...(/^\| dotnet \|/m.test(page) || ran.some(({ suite }) => suite === 'dotnet') ? [] : dotnet),
    ...table('Official clients', headings.clients, each(clientRow)),
    ...table('Frameworks and the oldest client', headings.frameworks, each(frameworkRow)),
    ...table('What a client cannot express, and what failed', headings.exceptions, each(exceptionRows)),
  ];
  writeFileSync(file, text.join('\n'));
}

function clientRow(suite, { client, version, framework, all, held, cannot, failed }, where) {
  if (framework) return [];
  return [
    `| ${suite} | ${client} | ${version} | ${held.length} of ${all} | ${cannot.length} | ${failed.length} | ${where} |`,
  ];
}

function frameworkRow(suite, { client, version, framework, all, held, failed }, where) {
  if (!framework) return [];
  return [`| ${suite} | ${client} | ${version} | ${held.length} of ${all} | ${failed.length} | ${where} |`];
}

function exceptionRows(suite, { client, cannot, failed }) {
  const row =
    (prefix) =>
    ({ check, why }) => {
      const reason = why.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 300);
      return `| ${suite} | ${client} | \`${check}\` | ${prefix}${reason} |`;
    };
  return [...cannot.map(row('')), ...failed.map(row('failed: '))];
}
