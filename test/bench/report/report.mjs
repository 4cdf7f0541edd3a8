import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { writeBeside } from '../beside.mjs';
import { writeCold } from '../cold.mjs';
import { writeDrops } from '../drops.mjs';
import { cpuRatio, speedRatio, turnMs } from '../measure/measure-workload.mjs';
import { writeSuite } from '../measure/suite.mjs';

const size = (rows) => (rows >= 1_000_000 ? `${rows / 1_000_000}M` : `${rows / 1000}k`);
const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

/** The section of the page that is written by hand, and stays. */
const learned = 'What was learned';

/** Returns the page with the figures, in Markdown. `results` are the figures of the parts of the run, by name. */
export function writeReport({ cold, drops, suite, ...tables }, { kinds, run }) {
  const results = Object.values(tables);
  const onDisk = results.filter(({ inMemory }) => !inMemory);
  return [
    ...writeStart(kinds, run),
    ...writePaired(onDisk.filter(({ figures }) => figures.azurite)),
    ...writeBeside(results, kinds.before?.cwd),
    ...writeAlone(
      onDisk.filter(({ figures }) => !figures.azurite),
      results,
    ),
    ...writeNeeds(results),
    ...(cold ? writeCold(cold) : []),
    ...(drops ? writeDrops(drops) : []),
    ...(suite ? writeSuite(suite) : []),
    `## ${learned}${readFileSync('docs/benchmarks.md', 'utf8').split(`\n## ${learned}`)[1]}`,
  ].join('\n');
}

function writeStart(kinds, { workloadMs, copies }) {
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench -- --full`. Look at the ratios first: all servers take turns in the same session, on the same',
    'data, so ratios hold even if the machine is slow or busy. Absolute rates are those of one machine at one time. The last section is',
    'written by hand.',
    '',
    `${versions(kinds)}; ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; ${workloadMs / 1000} s for a workload,`,
    `in turns of ${turnMs / 1000} s; measured on ${new Date().toISOString().slice(0, 10)}.`,
    'Entities have eight properties and about 480 bytes of JSON. There are 1,000 per partition unless the heading says',
    'otherwise. Every request is signed. `c` is the number of connections, with one request in flight on each.',
    '',
    "Inserts and deletes alternate, so the table keeps its size. Speed ratios are medians of the rounds. Processor time is the server's",
    'own, per operation, the 10th percentile of the turns. The share is the processor time of the ceiling divided by that of',
    'Tabularium. The ceiling (`test/bench/ceiling.mjs`) is the minimum that an honest server of this design has to do: one Fastify',
    'route that checks the signature, parses the body, looks up the row, writes in groups and stores the response as sent.',
    'From 100,000 entities on, Azurite needs five seconds for a turn of writes, because it saves all data; the others take eight turns.',
    ...writeCopies(copies),
    '',
  ];
}

function writeCopies(copies) {
  if (copies === 1) return [];
  return [
    `V8 compiles the same code differently in each process, so tables of up to 10k entities have ${copies} servers of each kind.`,
    'Each round measures one of them; processor times are means.',
  ];
}

/** Returns a table with a row for each workload and these columns. */
function writeTable(names, columns) {
  return [
    `| workload | ${columns.map(({ title }) => title).join(' | ')} |`,
    `|---|${'--:|'.repeat(columns.length)}`,
    ...names.map((name) => `| ${[name, ...columns.map(({ cell }) => cell(name))].join(' | ')} |`),
    '',
  ];
}

/** Returns the columns of figures of each table, titled by its size. `cell` gets the row of a workload in it. */
function columnsOf(results, prefix, cell) {
  return results.map((result) => ({
    title: `${prefix}${titleOf(result)}`,
    cell: (name) => cell(result.table.find(({ workload }) => workload === name)),
  }));
}

const titleOf = ({ rows, single }) => `${size(rows)}${single ? ' in one partition' : ''}`;
const workloadsOf = (results) => results[0].table.map(({ workload }) => workload);

function writePaired(results) {
  if (results.length === 0) return [];
  const both = (name) => (row) => `${number(row.servers.tabularium[name])} / ${number(row.servers.azurite[name])}`;
  return [
    '## Speed',
    '',
    'How many times as many operations per second as Azurite, and the share of the ceiling.',
    '',
    ...writeTable(workloadsOf(results), [
      ...columnsOf(results, '', (row) => `**${writeSpeed(row)}**`),
      ...columnsOf(results, 'share, ', writeShare),
    ]),
    '## Rates',
    '',
    'Tabularium / Azurite: operations per second, and the 99th percentile of their time in milliseconds.',
    '',
    ...writeTable(workloadsOf(results), [
      ...columnsOf(results, '', both('rate')),
      ...columnsOf(results, 'p99, ', both('p99')),
    ]),
  ];
}

/** Returns how many times as fast as Azurite Tabularium is. */
function writeSpeed(row) {
  const ratio = speedRatio(row, 'tabularium', 'azurite');
  return ratio.toFixed(ratio < 10 ? 1 : 0);
}

/** Returns how close Tabularium comes to the ceiling in processor time; empty for a workload that the ceiling cannot do. */
function writeShare(row) {
  return cpuRatio(row, 'ceiling', 'tabularium')?.toFixed(2) ?? '';
}

function writeAlone(results, all) {
  if (results.length === 0) return [];
  const figure = (name) => (row) => number(row.servers.tabularium[name]);
  return [
    '## Without Azurite',
    '',
    'Processor time in microseconds, p99 in milliseconds. The last columns show how much the processor time grows, except for scans.',
    '',
    ...writeTable(workloadsOf(results), [
      ...results.flatMap((result) => [
        ...columnsOf([result], 'share, ', writeShare),
        ...columnsOf([result], 'op/s, ', figure('rate')),
        ...columnsOf([result], 'cpu, ', figure('cpu')),
        ...columnsOf([result], 'p99, ', figure('p99')),
      ]),
      ...growth('1M / 1k', findTable(all, 1000, false), findTable(all, 1_000_000, false)),
      ...growth('one partition / spread', findTable(all, 100_000, false), findTable(all, 100_000, true)),
    ]),
  ];
}

function findTable(results, rows, single) {
  return results.find((one) => one.rows === rows && one.single === single && !one.inMemory)?.table;
}

/** Returns the column with the growth of the processor time from one table to another; none if one was not measured. */
function growth(title, from, to) {
  if (!from || !to) return [];
  const cpu = (table, name) => table.find(({ workload }) => workload === name).servers.tabularium.cpu;
  const cell = (name) => (/walk|filter/.test(name) ? '' : (cpu(to, name) / cpu(from, name)).toFixed(2));
  return [{ title, cell }];
}

function writeNeeds(results) {
  const rows = results.flatMap(({ rows, single, inMemory, figures }) =>
    Object.entries(figures)
      .filter(([name]) => name !== 'ceiling')
      .map(([name, f]) =>
        [
          `${titleOf({ rows, single })}${inMemory ? ' in memory' : ''}`,
          name,
          number(f.emptyStart),
          f.start === undefined ? '' : number(f.start),
          number(f.loaded),
          f.empty,
          f.afterLoad,
          f.peak,
          f.restarted ?? '',
          f.disk ?? '',
        ].join(' | '),
      ),
  );
  return [
    '## What the servers need',
    '',
    '| entities | server | start empty, ms | start with data, ms | load, entities/s | MiB empty | MiB after load | peak MiB | MiB after restart | disk MiB |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ];
}

function versions({ tabularium, azurite }) {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8')).version;
  const own = `Tabularium ${read('package.json')}`;
  if (!azurite) return `${own} on Node ${process.versions.node}`;
  const peer = read(join(azurite.args[0], '../../../../package.json'));
  return `${own} and Azurite ${peer}, both on Node ${read(join(tabularium.command, '../../package.json'))}`;
}
