// Measures Tabularium and Azurite in one run, on the same data, in alternating time slots.
//
//   npm run bench            short: 1k and 10k entities, three pairs for each workload
//   npm run bench -- --full  also 100k, one partition, and 1M for Tabularium alone; writes docs/benchmarks.md and .svg
//
// Azurite and the Node.js version that it needs are installed into test/bench/peer, which git does not track.
// `--peer folder` selects another folder; `--alone` measures only Tabularium.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawChart } from './chart.mjs';
import { createRandom, load, median, runSlot } from './measure.mjs';
import { writeReport } from './report.mjs';
import { Server, serverKinds } from './servers.mjs';
import { workloads } from './workloads.mjs';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    peer: { type: 'string', default: fileURLToPath(new URL('./peer', import.meta.url)) },
    only: { type: 'string', default: '' },
    sizes: { type: 'string' },
    pairs: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

/**
 * Length of the time slots. After writes, Azurite saves its data every five seconds, which is slow for a large table.
 * Slots of writes to large tables are therefore long enough to include a save. Unit: milliseconds.
 */
const shortSlotMs = 1500;
const longSlotMs = 5000;

const sizes = (options.sizes ?? (options.full ? '1000,10000,100000' : '1000,10000')).split(',').map(Number);
const pairs = Number(options.pairs ?? 3);
const peer = options.alone ? undefined : await installPeer(options.peer);
const kinds = serverKinds(peer);

const results = [];
for (const rows of sizes) results.push(await measureSize(rows, false, Object.keys(kinds)));
if (options.full) {
  results.push(await measureSize(20_000, true, Object.keys(kinds)));
  results.push(await measureSize(1_000_000, false, ['tabularium']));
  results.push(await measureSize(100_000, true, ['tabularium']));
}
const report = writeReport(results, { pairs, kinds });
console.log(report);
if (options.full || options.write) await writeFile('docs/benchmarks.md', report);
if (options.full) await writeFile('docs/benchmarks.svg', drawChart(report));

/** Measures one table size: all workloads on the servers in turn, then start time, memory and disk space. */
async function measureSize(rows, single, names) {
  const servers = [];
  for (const name of names) {
    const server = await Server.create(name, kinds[name]);
    const emptyStart = await server.start();
    const empty = await server.memory();
    const loaded = await load(server, rows, single);
    const state = { rows, single, next: 0, inserted: [], random: createRandom() };
    const figures = { emptyStart, empty: empty.now, loaded, afterLoad: (await server.memory()).now };
    servers.push({ name, server, state, figures });
  }
  const table = [];
  for (const workload of workloads.filter(({ name }) => name.includes(options.only))) {
    const slotMs = workload.writes && rows >= 100_000 ? longSlotMs : shortSlotMs;
    for (const { server, state } of servers) await runSlot(server, workload, state, 400);
    const rounds = [];
    for (let pair = 0; pair < pairs; pair++) {
      const round = {};
      // The servers alternate in going first, so that neither always has the warmer machine.
      for (const { name, server, state } of pair % 2 === 0 ? servers : [...servers].reverse()) {
        round[name] = await runSlot(server, workload, state, slotMs);
      }
      rounds.push(round);
    }
    const row = { workload: `${workload.name}, c=${workload.c}`, servers: {} };
    for (const { name } of servers) {
      const slots = rounds.map((round) => round[name]);
      row.servers[name] = {
        rate: median(slots.map(({ rate }) => rate)),
        cpu: median(slots.map(({ cpu }) => cpu)),
        p99: median(slots.map(({ p99 }) => p99)),
        max: Math.max(...slots.map(({ max }) => max)),
      };
    }
    if (servers.length > 1) row.ratio = median(rounds.map((round) => round.tabularium.rate / round.azurite.rate));
    table.push(row);
    console.error(`${rows}${single ? ' in one partition' : ''}: ${row.workload} ${row.ratio?.toFixed(2) ?? ''}`);
  }
  for (const { server, figures } of servers) {
    figures.peak = (await server.memory()).peak;
    // Stop normally: Azurite saves only every few seconds, and loses unsaved data when it is killed.
    await server.stop();
    figures.disk = await server.disk();
    const starts = [];
    for (let i = 0; i < 3; i++) {
      starts.push(await server.start());
      figures.restarted = (await server.memory()).now;
      await server.stop();
    }
    figures.start = median(starts);
    await server.remove();
  }
  return { rows, single, table, figures: Object.fromEntries(servers.map(({ name, figures }) => [name, figures])) };
}

/** Installs Azurite and its Node.js version if they are missing. Returns the folder. */
async function installPeer(folder) {
  if (!existsSync(`${folder}/node_modules/azurite`)) {
    await mkdir(folder, { recursive: true });
    await writeFile(`${folder}/package.json`, '{ "private": true }\n');
    execFileSync('npm', ['install', '--force', 'azurite@latest', 'node@24'], { cwd: folder, stdio: 'inherit' });
  }
  return folder;
}
