/** Milliseconds of each unit of a duration. */
const units = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * Returns the milliseconds of a duration, such as `250ms`, `90s`, `1.5h` or `7d`; undefined for another text. The longest is
 * 10,000 days.
 */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Math.round(Number(count) * (units.get(unit) ?? Number.NaN));
  return ms <= 10_000 * 86_400_000 ? ms : undefined;
}
