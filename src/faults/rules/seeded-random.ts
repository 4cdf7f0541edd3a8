/**
 * Returns the number at a position in the sequence of a seed, from 0 to less than 1. It depends on these two alone, so a
 * decision does not depend on earlier ones. The generator is mulberry32: its state grows by a constant with each number.
 */
export function seededRandom(seed: number, position: number): number {
  let state = (seed + Math.imul(position + 1, 0x6d2b79f5)) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}

/** Returns a lognormal time. `median` and the result have the same unit; `sigma` is the spread of its logarithm. */
export function lognormal(median: number, sigma: number, first: number, second: number): number {
  // Box-Muller turns two uniform numbers into a normal one. The logarithm needs a number above zero.
  const normal = Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
  return median * Math.exp(sigma * normal);
}
