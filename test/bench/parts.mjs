import { measureCold } from './cold.mjs';
import { measureDrops } from './drops.mjs';
import { measureSize } from './measure/measure-size.mjs';
import { measureSuite } from './measure/suite.mjs';

/**
 * Lists the parts of a run. Each has a name, and a function that measures it and returns figures that can be kept as JSON.
 *
 * `kinds` are the servers by name. A run that selects workloads has no other parts.
 */
export function listParts(kinds, { isFull, sizes, only, workloadMs, copies }) {
  const inMemory = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, { ...kind, inMemory: true }]));
  const { tabularium, ceiling, azurite, before } = kinds;
  const size = (name, rows, single, measured) => ({
    name,
    measure: () => measureSize(rows, single, measured, { only, workloadMs, copies }),
  });
  const parts = sizes.map((rows) => size(`disk-${rows}`, rows, false, kinds));
  if (isFull || before) parts.push(size('memory-10000', 10_000, false, inMemory));
  if (isFull) {
    parts.push(size('partition-20000', 20_000, true, { tabularium, ceiling, ...(azurite && { azurite }) }));
    parts.push(size('partition-100000', 100_000, true, { tabularium, ceiling }));
    parts.push(size('disk-1000000', 1_000_000, false, { tabularium, ceiling }));
  }
  if (only.some((text) => text !== '')) return parts;
  const coldSizes = [1000, isFull ? 1_000_000 : 100_000];
  return [
    ...parts,
    { name: 'cold', measure: () => measureCold(tabularium, coldSizes) },
    { name: 'drops', measure: () => measureDrops(tabularium, isFull ? 10_000 : 1000) },
    { name: 'suite', measure: () => measureSuite(kinds, isFull ? 6 : 3) },
  ];
}
