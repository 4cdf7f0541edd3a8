/** Returns the processor time that a call takes in this process. Unit: milliseconds. */
function processorTime(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Lengths of the texts that are compared. Unit: UTF-16 code units. */
const short = 2_000;
const long = 30_000;

/** What takes less is not compared: the clock is too coarse. Unit: milliseconds. */
const leastMs = 60;

/** Growth that fails. Time in proportion to the length grows 15 times, and with its square 225 times. */
const growthMax = 60;

/** Returns whether a call takes time beyond proportion to the length of its text. Noise must be there three times. */
export function growsBeyondLinear(run: (text: string) => unknown, textOf: (units: number) => string): boolean {
  const [shortText, longText] = [textOf(short), textOf(long)];
  return [1, 2, 3].every(() => {
    const longMs = processorTime(() => run(longText));
    return longMs > leastMs && longMs > growthMax * processorTime(() => run(shortText));
  });
}
