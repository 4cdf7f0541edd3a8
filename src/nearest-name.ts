import { lowerAscii } from './protocol/names.js';

/** Largest edit distance of a misspelled name, as a fraction of the length of the correct one. */
const distanceShare = 1 / 3;

/** Returns the name closest to a misspelled one, if any is close. Ignores letter case, dashes and underscores. */
export function nearestName(meant: string, names: readonly string[]): string | undefined {
  const plain = (name: string) => lowerAscii(name).replace(/[-_]/g, '');
  const misspelled = plain(meant);
  const rated = names
    .map((name) => ({ name, right: plain(name), most: plain(name).length * distanceShare }))
    // A fast path: the difference in length is a lower bound for the distance.
    .filter(({ right, most }) => Math.abs(right.length - misspelled.length) <= most)
    .map(({ name, right, most }) => ({ name, most, distance: editDistance(misspelled, right) }))
    .filter(({ most, distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return rated[0]?.name;
}

/** Returns a sentence that suggests the closest name, or `otherwise` if none is close. */
export function didYouMean(meant: string, names: readonly string[], otherwise = `Known: ${names.join(', ')}.`): string {
  const nearest = nearestName(meant, names);
  return nearest === undefined ? otherwise : `Did you mean '${nearest}'?`;
}

/** Returns the number of insertions, deletions, substitutions and swaps of neighbors that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
