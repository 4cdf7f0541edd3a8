// Measures Tabularium, Azurite and the ceiling (ceiling.mjs) in one run, on the same data, in alternating time slots.
//
//   npm run bench            short: 1k and 10k entities
//   npm run bench -- --full  also 100k, one partition, 1M without Azurite, and 10,000 dropped tables; writes
//                            docs/benchmarks.md and docs/benchmarks.svg; takes 25 minutes
//   npm run bench -- --beside ../before
//                            measures another built checkout in the same run, on disk and in memory
//
// Azurite and the Node.js version that it needs are installed into test/bench/peer, which git does not track.
// `--peer folder` selects another folder; `--alone` measures without Azurite. `--only get --only range` selects workloads
// by parts of their names, `--sizes 1000,10000` table sizes, `--workloadMs` the time for a workload on all servers, `--copies` the
// number of servers of each kind for tables of up to 10,000 entities (3 in a full run, otherwise 1).
// Every part of the run is kept in reports/bench. `--resume` measures only the parts that are not there.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serverKinds } from './measure/servers.mjs';
import { listParts } from './parts.mjs';
import { drawChart } from './report/chart.mjs';
import { writeReport } from './report/report.mjs';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    beside: { type: 'string' },
    alone: { type: 'boolean', default: false },
    peer: { type: 'string', default: fileURLToPath(new URL('./peer', import.meta.url)) },
    only: { type: 'string', multiple: true, default: [''] },
    sizes: { type: 'string' },
    workloadMs: { type: 'string', default: '6000' },
    copies: { type: 'string' },
  },
});

const peer = options.alone ? undefined : await installPeer(options.peer);
const kinds = serverKinds({ peer, before: options.beside && resolve(options.beside) });
const sizes = (options.sizes ?? (options.full ? '1000,10000,100000' : '1000,10000')).split(',').map(Number);
const copies = Number(options.copies ?? (options.full ? 3 : 1));
const run = { isFull: options.full, sizes, only: options.only, workloadMs: Number(options.workloadMs), copies };

const kept = fileURLToPath(new URL('../../reports/bench', import.meta.url));
if (!options.resume) await rm(kept, { recursive: true, force: true });
await mkdir(kept, { recursive: true });
const results = {};
for (const { name, measure } of listParts(kinds, run)) {
  const file = `${kept}/${name}.json`;
  if (!existsSync(file)) await writeFile(file, JSON.stringify(await measure()));
  results[name] = JSON.parse(await readFile(file, 'utf8'));
}

const report = writeReport(results, { kinds, run });
console.log(report);
if (options.full) {
  await writeFile('docs/benchmarks.md', report);
  await writeFile('docs/benchmarks.svg', drawChart(report));
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
