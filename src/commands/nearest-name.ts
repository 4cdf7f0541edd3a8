/** How much of a name may be different for it to be what was meant by another. */
const unlikenessShare = 1 / 3;

/** The name that was probably meant, if one comes close. Letter case, dashes and underscores count for nothing. */
export function nearestName(meant: string, names: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '');
  const rated = names
    .map((name) => ({ name, unlikeness: unlikeness(plain(meant), plain(name)) }))
    .filter(({ name, unlikeness }) => unlikeness <= plain(name).length * unlikenessShare)
    .sort((a, b) => a.unlikeness - b.unlikeness);
  return rated[0]?.name;
}

/** How many letters must be added, taken away, changed or swapped with the next to make one text of the other. */
function unlikeness(a: string, b: string): number {
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
