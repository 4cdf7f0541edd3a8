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

/** Returns the page with the figures, in Markdown. `results` are the figures of the parts of the run, by name. */
export function writeReport({ cold, drops, suite, ...tables }, { kinds, run }) {
  const results = Object.values(tables);
  const onDisk = results.filter(({ inMemory }) => !inMemory);
  return [
    ...writeStart(kinds, run),
    ...onDisk.filter(({ figures }) => figures.azurite).flatMap(writePaired),
    ...writeBeside(results, kinds.before?.cwd),
    ...writeNeeds(results),
    ...writeGrowth(results),
    ...onDisk.filter(({ figures }) => !figures.azurite).flatMap(writeAlone),
    ...(cold ? writeCold(cold) : []),
    ...(drops ? writeDrops(drops) : []),
    ...(suite ? writeSuite(suite) : []),
    readFileSync(new URL('../learned.md', import.meta.url), 'utf8'),
  ].join('\n');
}

function writeStart(kinds, { workloadMs, copies }) {
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench -- --full`. Look at the ratios first: all servers take turns in the same session, on the same',
    'data, so ratios hold even if the machine is slow or busy. Absolute rates are those of one machine at one time.',
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

function heading({ rows, single }) {
  return `## ${size(rows)} entities${single ? ' in one partition' : ''}`;
}

function writePaired(result) {
  const rows = result.table.map((row) => {
    const { tabularium, azurite } = row.servers;
    return [
      row.workload,
      `**${writeSpeed(row, 'tabularium')}**`,
      writeShare(row),
      writeSpeed(row, 'ceiling'),
      number(tabularium.rate),
      number(azurite.rate),
      number(tabularium.p99),
      number(azurite.p99),
      number(tabularium.max),
      number(azurite.max),
    ].join(' | ');
  });
  return [
    heading(result),
    '',
    '| workload | Tabularium / Azurite | share of the ceiling | ceiling / Azurite | Tabularium op/s | Azurite op/s | p99 ms | Azurite | worst ms | Azurite |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ];
}

/** Returns how many times as fast as Azurite a server is; empty for a workload that it cannot do. */
function writeSpeed(row, name) {
  const ratio = speedRatio(row, name, 'azurite');
  return ratio === undefined ? '' : ratio.toFixed(ratio < 10 ? 1 : 0);
}

/** Returns how close Tabularium comes to the ceiling in processor time; empty for a workload that the ceiling cannot do. */
function writeShare(row) {
  return cpuRatio(row, 'ceiling', 'tabularium')?.toFixed(2) ?? '';
}

function writeAlone(result) {
  return [
    `${heading(result)}, without Azurite`,
    '',
    '| workload | share of the ceiling | op/s | cpu us | p99 ms | worst ms |',
    '|---|--:|--:|--:|--:|--:|',
    ...result.table.map((row) => {
      const { rate, cpu, p99, max } = row.servers.tabularium;
      return `| ${[row.workload, writeShare(row), number(rate), number(cpu), number(p99), number(max)].join(' | ')} |`;
    }),
    '',
  ];
}

/** Returns the table of slowdowns for a large table and a large partition. Empty unless the run was a full one. */
function writeGrowth(results) {
  const find = (rows, single) =>
    results.find((one) => one.rows === rows && one.single === single && !one.inMemory)?.table;
  const [small, large] = [find(1000, false), find(1_000_000, false)];
  const [spread, together] = [find(100_000, false), find(100_000, true)];
  if (!small || !large || !spread || !together) return [];
  const slower = (from, to, workload) => {
    const cpu = (table) => table.find((row) => row.workload === workload).servers.tabularium.cpu;
    return (cpu(to) / cpu(from)).toFixed(2);
  };
  const rows = small.filter(({ workload }) => !/walk|filter/.test(workload));
  return [
    '## Growth',
    '',
    'How much the processor time per operation grows, except for table scans.',
    '',
    '| workload | 1M against 1k | 100k in one partition against spread |',
    '|---|--:|--:|',
    ...rows.map(
      ({ workload }) => `| ${workload} | ${slower(small, large, workload)} | ${slower(spread, together, workload)} |`,
    ),
    '',
  ];
}

function writeNeeds(results) {
  const rows = results.flatMap(({ rows, single, inMemory, figures }) =>
    Object.entries(figures).map(([name, f]) =>
      [
        `${size(rows)}${single ? ' in one partition' : ''}${inMemory ? ' in memory' : ''}`,
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
