// Measures what the journal and the coach cost gets and writes at 32 connections: `node test/bench/journal.mjs [pairs] [turns]`.
// `PEER` is a folder with another Node.js. Needs a build and an idle machine.
//
// Two servers of the same build may differ by a tenth, because V8 optimizes each in its own way. So there are several pairs,
// each with and without a journal, and all of them take turns.
import { createState, load, median, runSlot } from './measure/measure.mjs';
import { Server, serverKinds } from './measure/servers.mjs';
import { findWorkloads, workloads } from './measure/workloads.mjs';

const [pairs = '4', turns = '25'] = process.argv.slice(2);
const rows = 10_000;
const warmMs = 500;
const turnMs = 120;
const measured = findWorkloads('get, c=32', 'insert, c=32', 'merge, c=32', 'replace, c=32');

const { command, args } = serverKinds({ peer: process.env.PEER }).tabularium;
const kinds = [
  { name: 'on', command, args },
  { name: 'off', command, args: [...args, '--journal', '0'] },
];

const servers = [];
for (let pair = 0; pair < Number(pairs); pair++) {
  for (const kind of kinds) {
    const server = await Server.create(kind.name, kind);
    await server.start();
    await load(server, rows, false);
    servers.push({ server, state: createState(rows, false) });
  }
}
// V8 has less specialized code after all workloads, as in a server that is used.
for (const workload of workloads) for (const one of servers) await run(one, workload, warmMs);

console.log(`${pairs} pairs, ${turns} turns of ${turnMs} ms, ${rows} entities; on / off in each pair, then of all`);
for (const workload of measured) {
  const figures = servers.map(() => workload.parts.map(() => []));
  for (const one of servers) await run(one, workload, warmMs);
  for (let turn = 0; turn < Number(turns); turn++) {
    for (let step = 0; step < servers.length; step++) {
      const at = (step + turn) % servers.length;
      const parts = await run(servers[at], workload, turnMs);
      for (const [part, { cpu, rate }] of parts.entries()) figures[at][part].push({ cpu, rate });
    }
  }
  for (const [part, { name }] of workload.parts.entries())
    report(
      name,
      figures.map((parts) => parts[part]),
    );
}
for (const { server } of servers) {
  await server.stop();
  await server.remove();
}

function run({ server, state }, workload, ms) {
  return runSlot(server, workload, state, ms);
}

/** Prints the processor time of an operation, and operations per second, of the servers with a journal and of the others. */
function report(name, figures) {
  const times = figures.map((turns) => tenth(turns.map(({ cpu }) => cpu)));
  const rates = figures.map((turns) => median(turns.map(({ rate }) => rate)));
  const shown = [];
  for (const [unit, values] of [
    ['us', times],
    ['/s', rates],
  ]) {
    const on = values.filter((_, at) => at % 2 === 0);
    const off = values.filter((_, at) => at % 2 === 1);
    const each = on.map((value, at) => (value / off[at]).toFixed(2));
    shown.push(
      `${mean(on).toFixed(1)} / ${mean(off).toFixed(1)} ${unit} = ${(mean(on) / mean(off)).toFixed(3)} (${each.join(' ')})`,
    );
  }
  console.log(`${name.padEnd(16)} ${shown.join('   ')}`);
}

function tenth(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 10)];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
