import { execFileSync } from 'node:child_process';
import { cpuRatio, speedRatio } from './measure/measure-workload.mjs';

/**
 * Returns the section that compares another checkout with this one; empty if none was measured. `folder` is where the
 * other one is.
 */
export function writeBeside(results, folder) {
  const compared = results.filter(({ figures }) => figures.before);
  const tables = [false, true].flatMap((inMemory) => {
    const sizes = compared.filter((result) => result.inMemory === inMemory && !result.single);
    return sizes.length > 0 ? writeTable(sizes, inMemory) : [];
  });
  if (tables.length === 0) return [];
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
  return [
    '## Before and after',
    '',
    `Before is the commit ${commit}, built separately; both took turns. Ratios to Azurite compare operations per second.`,
    "Shares of the ceiling and after / before compare the server's processor time per operation: a larger share and a smaller",
    'after / before are better.',
    '',
    ...tables,
  ];
}

function writeTable(sizes, inMemory) {
  const names = sizes.map(({ rows }) => `${rows / 1000}k`).join(' / ');
  const place = inMemory ? 'With `--inMemoryPersistence`' : 'On disk';
  const rows = sizes[0].table.map(({ workload }) => {
    const all = sizes.map(({ table }) => table.find((row) => row.workload === workload));
    const cell = (ratio) =>
      all.some((row) => ratio(row) === undefined) ? '' : all.map((row) => text(ratio(row))).join(' / ');
    return [
      workload,
      cell((row) => speedRatio(row, 'before', 'azurite')),
      cell((row) => speedRatio(row, 'tabularium', 'azurite')),
      cell((row) => cpuRatio(row, 'ceiling', 'before')),
      cell((row) => cpuRatio(row, 'ceiling', 'tabularium')),
      cell((row) => cpuRatio(row, 'tabularium', 'before')),
    ].join(' | ');
  });
  return [
    `${place}, ${names} entities.`,
    '',
    '| workload | before / Azurite | after / Azurite | share of the ceiling before | share after | after / before |',
    '|---|--:|--:|--:|--:|--:|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ];
}

/** Returns a ratio with two digits that matter, and at least one after the point below 10. */
function text(ratio) {
  if (ratio >= 10) return ratio.toFixed(0);
  return ratio.toFixed(ratio >= 2 ? 1 : 2);
}
