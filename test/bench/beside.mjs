import { join } from 'node:path';
import { measureSize, ratioOf } from './measure-size.mjs';

const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

/**
 * Measures another built checkout (`before`) and this one (`after`) in one run, in turns, on disk and in memory, beside
 * the ceiling. Returns the tables in Markdown.
 */
export async function compareBeside(checkout, kinds, { sizes, pairs, only }) {
  const { tabularium, ceiling } = kinds;
  const before = { ...tabularium, cwd: checkout, args: [join(checkout, 'dist/main.js')] };
  const lines = ['## Before and after', ''];
  for (const inMemory of [false, true]) {
    const measured = Object.entries({ before, after: tabularium, ceiling });
    const own = Object.fromEntries(measured.map(([name, kind]) => [name, { ...kind, inMemory }]));
    for (const rows of sizes) {
      const { table, figures } = await measureSize(rows, false, own, { pairs, only });
      lines.push(...writeTable(rows, inMemory, table), ...writeMemory(figures), '');
    }
  }
  return lines.join('\n');
}

function writeTable(rows, inMemory, table) {
  const place = inMemory ? 'with `--inMemoryPersistence`' : 'on disk';
  return [
    `${rows.toLocaleString('en')} entities, ${place}: processor time of the server for an operation, and shares of the ceiling.`,
    '',
    '| workload | before, us | after, us | after / before | share before | share after |',
    '|---|--:|--:|--:|--:|--:|',
    ...table.map((row) => {
      const { before, after } = row.servers;
      const ratio = ratioOf(row, 'cpu', 'after', 'before').toFixed(2);
      const shares = ['before', 'after'].map((name) => ratioOf(row, 'cpu', 'ceiling', name)?.toFixed(2) ?? '');
      return `| ${[row.workload, number(before.cpu), number(after.cpu), `**${ratio}**`, ...shares].join(' | ')} |`;
    }),
    '',
  ];
}

function writeMemory(figures) {
  const parts = Object.entries(figures).map(([name, { afterLoad, peak }]) => `${name} ${afterLoad} and ${peak}`);
  return [`Memory after the load and at its peak, in MiB: ${parts.join('; ')}.`];
}
