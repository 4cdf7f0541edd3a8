/**
 * Returns the number of a position in the sequence of a seed: from 0, less than 1. The same seed and position give the same
 * number, so that a decision does not depend on those before it.
 *
 * It is the generator mulberry32, whose state grows by a constant with each number.
 */
export function seededRandom(seed: number, position: number): number {
  let state = (seed + Math.imul(position + 1, 0x6d2b79f5)) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}

/** Returns a lognormal time. `median` and the result have the same unit; `sigma` is the spread of its logarithm. */
export function lognormal(median: number, sigma: number, first: number, second: number): number {
  // Box-Muller makes a normal number of two even ones. The first must not be zero.
  const normal = Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
  return median * Math.exp(sigma * normal);
}
