/** How many times as often as usual each property is tried. TABULARIUM_RUNS=10 is a thorough run. */
const times = Number(process.env['TABULARIUM_RUNS'] ?? 1);

/** Returns the number of runs of a property, for the usual number. Every property test takes its `numRuns` from here. */
export function runs(usual: number): number {
  return Math.ceil(usual * times);
}
