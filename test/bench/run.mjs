// Measures Tabularium, Azurite and the ceiling (ceiling.mjs) in one run, on the same data, in alternating time slots.
//
//   npm run bench            short: 1k and 10k entities, three pairs for each workload
//   npm run bench -- --full  also 100k, one partition, 1M without Azurite, and 10,000 dropped tables; writes
//                            docs/benchmarks.md and docs/benchmarks.svg
//   npm run bench -- --beside ../before
//                            this checkout and another built one, on disk and in memory, beside the ceiling
//
// Azurite and the Node.js version that it needs are installed into test/bench/peer, which git does not track.
// `--peer folder` selects another folder; `--alone` measures without Azurite. `--only get`
// selects workloads by a part of their names.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareBeside } from './beside.mjs';
import { drawChart } from './chart.mjs';
import { measureCold, writeCold } from './cold.mjs';
import { measureDrops, writeDrops } from './drops.mjs';
import { measureSize } from './measure-size.mjs';
import { writeReport } from './report.mjs';
import { serverKinds } from './servers.mjs';
import { measureSuite, writeSuite } from './suite.mjs';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    beside: { type: 'string' },
    alone: { type: 'boolean', default: false },
    peer: { type: 'string', default: fileURLToPath(new URL('./peer', import.meta.url)) },
    only: { type: 'string', default: '' },
    sizes: { type: 'string' },
    pairs: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const sizes = (options.sizes ?? (options.full ? '1000,10000,100000' : '1000,10000')).split(',').map(Number);
const pairs = Number(options.pairs ?? 3);
const peer = options.alone ? undefined : await installPeer(options.peer);
const kinds = serverKinds(peer);

const run = { pairs, only: options.only };
const own = { tabularium: kinds.tabularium, ceiling: kinds.ceiling };

if (options.beside !== undefined) {
  console.log(await compareBeside(resolve(options.beside), kinds, { ...run, sizes }));
  process.exit();
}

const results = [];
for (const rows of sizes) results.push(await measureSize(rows, false, kinds, run));
if (options.full) {
  results.push(await measureSize(20_000, true, kinds, run));
  results.push(await measureSize(1_000_000, false, own, run));
  results.push(await measureSize(100_000, true, own, run));
}
const coldSizes = [1000, options.full ? 1_000_000 : 100_000];
const sections = options.only
  ? []
  : [
      ...writeCold(await measureCold(kinds.tabularium, coldSizes, pairs), coldSizes),
      ...writeDrops(await measureDrops(kinds.tabularium, options.full ? 10_000 : 1000)),
      ...writeSuite(await measureSuite(kinds, options.full ? 10 : 3)),
    ];
const report = writeReport(results, { pairs, kinds, sections });
console.log(report);
if (options.full || options.write) await writeFile('docs/benchmarks.md', report);
if (options.full) await writeFile('docs/benchmarks.svg', drawChart(report));

/** Installs Azurite and its Node.js version if they are missing. Returns the folder. */
async function installPeer(folder) {
  if (!existsSync(`${folder}/node_modules/azurite`)) {
    await mkdir(folder, { recursive: true });
    await writeFile(`${folder}/package.json`, '{ "private": true }\n');
    execFileSync('npm', ['install', '--force', 'azurite@latest', 'node@24'], { cwd: folder, stdio: 'inherit' });
  }
  return folder;
}
