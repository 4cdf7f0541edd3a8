import { createState, load } from './measure/measure.mjs';
import { measureWorkload } from './measure/measure-workload.mjs';
import { Server } from './measure/servers.mjs';
import { findWorkloads } from './measure/workloads.mjs';

/** The workloads whose rows are read at random places. */
const names = ['range of 100, c=1', 'range of 100, c=8', 'page of 1000, c=1'];

/** The two ways to serve them: with the cache at its default, and from the engine alone. */
const ways = [
  { title: 'with the cache', args: [] },
  { title: 'from the engine alone', args: ['--cacheMb', '0'] },
];

/** The time for a workload, on all four servers. Unit: milliseconds. */
const workloadMs = 12_000;

/**
 * Measures ranges and pages in a small and a large table, with the read cache and without, on four servers in turns.
 * Returns the processor time of each server for an operation, by workload. Unit: microseconds.
 */
export async function measureCold(kind, sizes) {
  const servers = [];
  for (const { title, args } of ways) {
    for (const rows of sizes) {
      const server = await Server.create('cold', { ...kind, args: [...kind.args, ...args] });
      await server.start();
      await load(server, rows, false);
      servers.push({ name: nameOf(title, rows), server, state: createState(rows, false) });
    }
  }
  const times = {};
  for (const name of names) {
    const [row] = await measureWorkload(servers, findWorkloads(name)[0], { workloadMs });
    times[name] = Object.fromEntries(servers.map((one) => [one.name, row.servers[one.name].cpu]));
  }
  for (const { server } of servers) {
    await server.stop();
    await server.remove();
  }
  return { sizes, times };
}

/** Returns the section of the page about cold rows. */
export function writeCold({ sizes, times }) {
  const [small, large] = sizes;
  const row = (workload, title) => {
    const [few, many] = sizes.map((rows) => times[workload][nameOf(title, rows)]);
    const engine = times[workload][nameOf(ways[1].title, small)];
    return [workload, title, few.toFixed(0), many.toFixed(0), (many / few).toFixed(2), (many / engine).toFixed(2)];
  };
  return [
    '## Cold rows',
    '',
    `Ranges and pages at random places of a table, processor time of the server in microseconds. The table of ${large.toLocaleString('en')} does not`,
    'fit into the cache. The last column compares it with the small table when that is served from the engine.',
    '',
    `| workload | served | ${small.toLocaleString('en')} entities | ${large.toLocaleString('en')} entities | ratio | to the small table from the engine |`,
    '|---|---|--:|--:|--:|--:|',
    ...names.flatMap((workload) => ways.map(({ title }) => `| ${row(workload, title).join(' | ')} |`)),
    '',
  ];
}

function nameOf(title, rows) {
  return `${title} ${rows}`;
}
