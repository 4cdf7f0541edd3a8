import { createState, load, median, runSlot } from './measure.mjs';
import { Server } from './servers.mjs';
import { findWorkloads } from './workloads.mjs';

/** The workloads whose rows are read at random places. */
const names = ['range of 100, c=1', 'range of 100, c=8', 'page of 1000, c=1'];

/** The two ways to serve them: with the cache at its default, and from the engine alone. */
const ways = [
  { title: 'with the cache', args: [] },
  { title: 'from the engine alone', args: ['--cacheMb', '0'] },
];

/**
 * Measures ranges and pages in a small and a large table, with the read cache and without. Returns the processor time of
 * the server for an operation. Unit: microseconds.
 */
export async function measureCold(kind, sizes, rounds) {
  const cells = [];
  for (const { title, args } of ways) {
    for (const rows of sizes) {
      const server = await Server.create('cold', { ...kind, args: [...kind.args, ...args] });
      await server.start();
      await load(server, rows, false);
      const state = createState(rows, false);
      for (const workload of names.flatMap(findWorkloads)) {
        await runSlot(server, workload, state, 1000);
        const slots = [];
        for (let round = 0; round < rounds; round++) slots.push((await runSlot(server, workload, state, 1000))[0].cpu);
        cells.push({ title, rows, workload: workload.parts[0].name, cpu: median(slots) });
      }
      await server.stop();
      await server.remove();
    }
  }
  return cells;
}

/** Returns the section of the page about cold rows. */
export function writeCold(cells, sizes) {
  const find = (title, rows, workload) =>
    cells.find((cell) => cell.title === title && cell.rows === rows && cell.workload === workload).cpu;
  const [small, large] = sizes;
  return [
    '## Cold rows',
    '',
    `Ranges and pages at random places of a table, processor time of the server in microseconds. The table of ${large.toLocaleString('en')} does not`,
    'fit into the cache.',
    '',
    `| workload | served | ${small.toLocaleString('en')} entities | ${large.toLocaleString('en')} entities | ratio |`,
    '|---|---|--:|--:|--:|',
    ...names.flatMap((workload) =>
      ways.map(({ title }) => {
        const [few, many] = [find(title, small, workload), find(title, large, workload)];
        return `| ${workload} | ${title} | ${few.toFixed(0)} | ${many.toFixed(0)} | ${(many / few).toFixed(2)} |`;
      }),
    ),
    '',
  ];
}
