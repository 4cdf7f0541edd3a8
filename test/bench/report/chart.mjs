// Draws docs/benchmarks.svg from the figures in docs/benchmarks.md: `npm run write -- chart`. The full benchmark calls it,
// too.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The rows of the picture: the name of a workload on the page, and its label in the picture. */
const rows = [
  ['get, c=1', 'reads by key, 1 connection'],
  ['get, c=32', 'reads by key, 32 connections'],
  ['insert, c=1', 'inserts, 1 connection'],
  ['insert, c=32', 'inserts, 32 connections'],
  ['merge, c=32', 'merges, 32 connections'],
  ['replace, c=32', 'replaces, 32 connections'],
  ['batch of 100 inserts, c=1', 'transactions of 100 inserts'],
  ['mixed 80/20, c=32', 'mixed 80/20, 32 connections'],
  ['range of 100, c=1', 'ranges of 100 entities'],
  ['page of 1000, c=1', 'pages of 1,000 entities'],
  ['$top=10, c=1', 'the first 10 entities'],
  ['selective filter, c=1', 'filter over the whole table'],
];

/** The table sizes in the picture: their columns on the page, and their labels in the legend. */
const sizes = [
  ['1k', '1,000 entities'],
  ['10k', '10,000 entities'],
  ['100k', '100,000 entities'],
];

const left = 218;
const right = 700;
const top = 70;
const rowHeight = 42;
const barHeight = 9;
const ratioMax = 250;

/** Returns the picture as SVG. `page` is the text of docs/benchmarks.md. Errors: Error if a figure is missing. */
export function drawChart(page) {
  const bottom = top + rows.length * rowHeight;
  const versions = /^Tabularium \S+ and Azurite \S+, both on Node [^;\s]+/m.exec(page)?.[0];
  if (versions === undefined) throw new Error('the page does not name its versions');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${bottom + 44}" font-family="system-ui, sans-serif" font-size="13" role="img">`,
    `<title>How many times as many operations per second as Azurite</title>`,
    '<style>',
    'text { fill: #1f2328; } .quiet { fill: #59636e; } .grid { stroke: #d1d9e0; } .one { stroke: #59636e; }',
    '.s0 { fill: #9ec5f0; } .s1 { fill: #3f8ae0; } .s2 { fill: #0b4f9e; }',
    '@media (prefers-color-scheme: dark) {',
    'text { fill: #f0f6fc; } .quiet { fill: #9198a1; } .grid { stroke: #3d444d; } .one { stroke: #9198a1; }',
    '.s0 { fill: #1f5fa8; } .s1 { fill: #4493f8; } .s2 { fill: #b6d7ff; }',
    '}',
    '</style>',
    '<text x="12" y="22" font-size="15" font-weight="600">How many times as many operations per second as Azurite</text>',
    ...sizes.map(([, words], at) => legend(words, at)),
    ...[1, 3, 10, 30, 100].map((ratio) => gridLine(ratio, bottom)),
    ...rows.flatMap(([workload, words], at) => drawRow(page, workload, words, at)),
    `<text class="quiet" x="12" y="${bottom + 34}" font-size="11">${versions}; two cores; logarithmic scale. From docs/benchmarks.md.</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function legend(words, at) {
  const x = left + at * 140;
  return `<rect class="s${at}" x="${x}" y="36" width="11" height="11"/><text class="quiet" x="${x + 17}" y="46" font-size="12">${words}</text>`;
}

function gridLine(ratio, bottom) {
  const x = place(ratio);
  const style = ratio === 1 ? 'one' : 'grid';
  return [
    `<line class="${style}" x1="${x}" y1="${top - 6}" x2="${x}" y2="${bottom}"/>`,
    `<text class="quiet" x="${x}" y="${bottom + 15}" font-size="11" text-anchor="middle">${ratio}×</text>`,
  ].join('');
}

function drawRow(page, workload, words, at) {
  const y = top + at * rowHeight;
  return [
    `<text x="12" y="${y + 19}">${words}</text>`,
    ...sizes.map(([column], size) => {
      const ratio = ratioOf(page, column, workload);
      const [from, to] = [place(1), place(Number(ratio))];
      const barTop = y + size * (barHeight + 1);
      return [
        `<rect class="s${size}" x="${from}" y="${barTop}" width="${round(Math.max(to - from, 1))}" height="${barHeight}"/>`,
        `<text class="quiet" x="${round(to + 5)}" y="${barTop + 9}" font-size="10">${ratio}</text>`,
      ].join('');
    }),
  ];
}

/** Returns a ratio as the page prints it: the bold figure of a workload in the column of a size. */
function ratioOf(page, column, workload) {
  const section = page.split(/^## /m).find((text) => text.startsWith('Speed\n')) ?? '';
  const cellsOf = (first) =>
    section
      .split('\n')
      .find((line) => line.startsWith(`| ${first} |`))
      ?.split(' | ') ?? [];
  const ratio = /^\*\*([\d.]+)\*\*$/.exec(cellsOf(workload)[cellsOf('workload').indexOf(column)] ?? '')?.[1];
  if (ratio === undefined)
    throw new Error(`docs/benchmarks.md has no ratio of "${workload}" in the column "${column}"`);
  return ratio;
}

/** Returns the horizontal position of a ratio on the logarithmic scale. Unit: pixels. */
function place(ratio) {
  return round(left + ((right - left) * Math.log(ratio)) / Math.log(ratioMax));
}

function round(pixels) {
  return Math.round(pixels * 10) / 10;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync('docs/benchmarks.svg', drawChart(readFileSync('docs/benchmarks.md', 'utf8')));
}
