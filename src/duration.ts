/** Milliseconds per unit. */
const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The form of a duration. `readDuration` also limits it to 10,000 days. */
export const durationForm = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;

/** Parses a duration of at most 10,000 days, such as `250ms`, `90s`, `1.5h` or `7d`; undefined for other strings. Unit: milliseconds. */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = durationForm.exec(text) ?? [];
  const ms = Math.round(Number(count) * (units.get(unit) ?? Number.NaN));
  return ms <= 10_000 * 86_400_000 ? ms : undefined;
}
