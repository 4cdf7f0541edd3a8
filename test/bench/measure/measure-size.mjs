import { createState, load, median, runSlot } from './measure.mjs';
import { measureWorkload } from './measure-workload.mjs';
import { Server } from './servers.mjs';
import { findWorkloads } from './workloads.mjs';

/** How long each server runs each workload before any is measured. Unit: milliseconds. */
const firstRunMs = 400;

/** Larger tables take too long to load, and too much memory, for several copies of each server. */
const copiedRowsMax = 10_000;

/**
 * Measures one table size: all workloads on the servers in turn, then start time, memory and disk space.
 *
 * There are `copies` servers of each kind for tables of up to 10,000 rows, because V8 compiles the same code differently in each
 * process. What a server needs is that of the first copy. All servers first run all workloads, because code that has met few of
 * them is faster than that of a server in use, and a server that has just started is slower.
 *
 * `kinds` are the servers by name; one that is `byKeyOnly` cannot answer queries. `only` are parts of workloads' names.
 * `workloadMs` is the time for a workload on all servers. Returns a row for each part of a workload, and what each server
 * needs.
 */
export async function measureSize(rows, single, kinds, { only, workloadMs, copies }) {
  const servers = [];
  for (let copy = 0; copy < (rows > copiedRowsMax ? 1 : copies); copy++) {
    for (const [name, kind] of Object.entries(kinds)) servers.push(await startLoaded(name, kind, rows, single));
  }
  const workloads = findWorkloads(...only);
  const ableTo = (workload) => servers.filter(({ server }) => workload.byKey || !server.kind.byKeyOnly);
  for (const workload of workloads) {
    for (const { server, state } of ableTo(workload)) await runSlot(server, workload, state, firstRunMs);
  }
  const table = [];
  for (const workload of workloads) {
    const able = ableTo(workload);
    for (const row of await measureWorkload(able, workload, { workloadMs })) {
      table.push(row);
      console.error(`${rows}${single ? ' in one partition' : ''}: ${row.workload} ${describe(row)}`);
    }
  }
  for (const { server, figures } of servers) await measureRestart(server, figures);
  const firstCopies = servers.slice(0, Object.keys(kinds).length);
  const inMemory = servers.some(({ server }) => server.kind.inMemory);
  return {
    rows,
    single,
    inMemory,
    table,
    figures: Object.fromEntries(firstCopies.map(({ name, figures }) => [name, figures])),
  };
}

async function startLoaded(name, kind, rows, single) {
  const server = await Server.create(name, kind);
  const emptyStart = await server.start();
  const empty = (await server.memory()).now;
  const loaded = await load(server, rows, single);
  const figures = { emptyStart, empty, loaded, afterLoad: (await server.memory()).now };
  return { name, server, state: createState(rows, single), figures };
}

function describe(row) {
  return Object.entries(row.servers)
    .map(([name, { rate, cpu }]) => `${name} ${rate.toFixed(0)}/s ${cpu.toFixed(0)} us`)
    .join(', ');
}

/** Stops a server and starts it three times with its data. A server in memory has none afterwards. */
async function measureRestart(server, figures) {
  figures.peak = (await server.memory()).peak;
  // Stop normally: Azurite saves only every few seconds, and loses unsaved data when it is killed.
  await server.stop();
  if (server.kind.inMemory) return server.remove();
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
