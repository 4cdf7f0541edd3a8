import type { FaultEffect } from '../contract.js';
import { InvalidRule } from '../rules/read-value.js';
import { lognormal } from '../rules/seeded-random.js';
import type { Effect } from './effect.js';

/** The longest time that a fault holds a request. Unit: milliseconds. (Our choice: longer than clients wait.) */
export const heldMsMax = 600_000;

/** The fields of a latency, as far as they are there. */
export interface LatencyFields {
  readonly fixed: number;
  readonly min: number;
  readonly max: number;
  readonly median: number;
  readonly sigma: number;
  readonly when: 'before' | 'after';
}

/** Returns a latency of which the fields belong together. Errors: InvalidRule. */
export function checkLatency(fields: Partial<LatencyFields>): Extract<FaultEffect, { kind: 'latency' }> {
  const { fixed, min, max, median, sigma, when } = fields;
  const moment = when === undefined ? {} : { when };
  const count = Object.keys(fields).length - (when === undefined ? 0 : 1);
  if (count === 1 && fixed !== undefined) return { kind: 'latency', fixed, ...moment };
  if (count === 2 && min !== undefined && max !== undefined) {
    if (min > max) throw new InvalidRule('fault.min must not exceed fault.max.');
    return { kind: 'latency', min, max, ...moment };
  }
  if (count === 2 && median !== undefined && sigma !== undefined) return { kind: 'latency', median, sigma, ...moment };
  throw new InvalidRule('fault needs fixed, or min and max, or median and sigma, in milliseconds.');
}

/** Returns the effect of waiting. */
export function delay(latency: Extract<FaultEffect, { kind: 'latency' }>): Effect {
  const { when = 'before' } = latency;
  return async ({ hit, waits, random, received }, run) => {
    if (!hit()) return run();
    const ms = Math.min(timeOf(latency, random), heldMsMax);
    const sink = received.openSink();
    if (when === 'before') await waits.wait(ms, sink);
    const done = await run();
    if (when === 'after') await waits.wait(ms, sink);
    return done;
  };
}

function timeOf(latency: Extract<FaultEffect, { kind: 'latency' }>, random: (draw: number) => number): number {
  if ('fixed' in latency) return latency.fixed;
  if ('min' in latency) return latency.min + random(0) * (latency.max - latency.min);
  return lognormal(latency.median, latency.sigma, random(0), random(1));
}
