// Measures one server quickly: `node test/bench/quick.mjs [rows] [workload] [seconds] [server]`.
import { createState, load, runSlot } from './measure/measure.mjs';
import { Server, serverKinds } from './measure/servers.mjs';
import { findWorkloads } from './measure/workloads.mjs';

const [rows = '10000', only = '', seconds = '1.5', name = 'tabularium'] = process.argv.slice(2);
const server = await Server.create(name, serverKinds({ peer: process.env.PEER })[name]);
if (process.env.NODE_ARGS) server.kind.args.unshift(...process.env.NODE_ARGS.split(' '));
console.log(`start ${Math.round(await server.start())} ms`);
console.log(`load ${await load(server, Number(rows), process.env.SINGLE === '1')} entities/s`);
const state = createState(Number(rows), process.env.SINGLE === '1');
for (const workload of findWorkloads(only)) {
  await runSlot(server, workload, state, 300);
  for (const [at, figures] of (await runSlot(server, workload, state, Number(seconds) * 1000)).entries()) {
    const { rate, cpu, p50, p99, max } = figures;
    console.log(
      `${workload.parts[at].name.padEnd(28)} ${rate.toFixed(rate < 100 ? 1 : 0).padStart(8)}/s  cpu ${cpu.toFixed(0).padStart(6)} us  p50 ${p50.toFixed(2)}  p99 ${p99.toFixed(2)}  max ${max.toFixed(1)}`,
    );
  }
}
console.log(await server.memory(), `${await server.disk()} MiB on disk`);
await server.stop();
await server.remove();
