import type { Difference, DiffReport } from './contract.js';
import type { SizedDifference } from './diff.js';
import { StateFault } from './state-fault.js';

/** Number of differences in a list, usually and at most. Ours: a list is kept in memory. */
const [usual, most] = [1000, 10_000];

/** How much text of entities a list has at most, apart from its first difference. Unit: characters. Ours: as above. */
const charactersMax = 16 * 1024 * 1024;

/** Checks the length of a list. Errors: StateFault. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit > 0 && limit <= most)) return;
  throw new StateFault('invalid', `A list has 1 to ${most} differences, not ${limit}.`);
}

/** Lists differences up to a limit, which `checkLimit` has checked. */
export async function listDifferences(
  found: AsyncIterable<SizedDifference>,
  limit: number = usual,
): Promise<DiffReport> {
  const differences: Difference[] = [];
  let total = 0;
  for await (const { difference, characters } of found) {
    total += characters;
    const isFull = differences.length > 0 && total > charactersMax;
    if (isFull || differences.length === limit) return { differences, more: true };
    differences.push(difference);
  }
  return { differences, more: false };
}
