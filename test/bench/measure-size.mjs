import { createState, load, median, runSlot } from './measure.mjs';
import { Server } from './servers.mjs';
import { findWorkloads } from './workloads.mjs';

/**
 * Length of the time slots. After writes, Azurite saves its data every five seconds, which is slow for a large table.
 * Slots of writes to large tables are therefore long enough to include a save. Unit: milliseconds.
 */
const shortSlotMs = 1500;
const longSlotMs = 5000;

/**
 * Measures one table size: all workloads on the servers in turn, then start time, memory and disk space.
 *
 * `kinds` are the servers by name; one that is `byKeyOnly` cannot answer queries. `only` is a part of a workload's name.
 * Returns a row for each part of a workload with the figures of each server and of each round, and what
 * each server needs.
 */
export async function measureSize(rows, single, kinds, { pairs, only }) {
  const servers = [];
  for (const [name, kind] of Object.entries(kinds)) servers.push(await startLoaded(name, kind, rows, single));
  const table = [];
  for (const workload of findWorkloads(only)) {
    const able = servers.filter(({ server }) => workload.byKey || !server.kind.byKeyOnly);
    for (const row of await measureWorkload(able, workload, workload.writes && rows >= 100_000, pairs)) {
      table.push(row);
      console.error(`${rows}${single ? ' in one partition' : ''}: ${row.workload} ${describe(row)}`);
    }
  }
  for (const { server, figures } of servers) await measureRestart(server, figures);
  return { rows, single, table, figures: Object.fromEntries(servers.map(({ name, figures }) => [name, figures])) };
}

/** Returns the median of a figure's ratio between two servers over all rounds; undefined if one did not run. */
export function ratioOf({ rounds }, figure, above, below) {
  if (rounds.some((round) => !round[above] || !round[below])) return undefined;
  return median(rounds.map((round) => round[above][figure] / round[below][figure]));
}

async function startLoaded(name, kind, rows, single) {
  const server = await Server.create(name, kind);
  const emptyStart = await server.start();
  const empty = (await server.memory()).now;
  const loaded = await load(server, rows, single);
  const figures = { emptyStart, empty, loaded, afterLoad: (await server.memory()).now };
  return { name, server, state: createState(rows, single), figures };
}

async function measureWorkload(servers, workload, isLong, pairs) {
  for (const { server, state } of servers) await runSlot(server, workload, state, 400);
  const slots = [];
  for (let pair = 0; pair < pairs; pair++) {
    const slot = {};
    // The servers take turns in going first, so that none always has the warmer machine.
    for (let at = 0; at < servers.length; at++) {
      const { name, server, state } = servers[(at + pair) % servers.length];
      slot[name] = await runSlot(server, workload, state, isLong ? longSlotMs : shortSlotMs);
    }
    slots.push(slot);
  }
  return workload.parts.map(({ name: part }, at) => {
    const rounds = slots.map((slot) =>
      Object.fromEntries(Object.entries(slot).map(([name, figures]) => [name, figures[at]])),
    );
    const figures = Object.fromEntries(
      servers.map(({ name }) => [name, summarize(rounds.map((round) => round[name]))]),
    );
    return { workload: part, servers: figures, rounds };
  });
}

function summarize(figures) {
  const middle = (name) => median(figures.map((one) => one[name]));
  return {
    rate: middle('rate'),
    cpu: middle('cpu'),
    p99: middle('p99'),
    max: Math.max(...figures.map(({ max }) => max)),
  };
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
