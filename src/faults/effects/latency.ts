import { choice, number, optional } from '../../schema.js';
import type { FaultEffect } from '../contract.js';
import { checkFields, InvalidRule } from '../rules/invalid-rule.js';
import { lognormal } from '../rules/seeded-random.js';
import type { Effect } from './effect.js';

/** Longest delay of a request. Unit: milliseconds. (Our choice: longer than clients wait.) */
export const heldMsMax = 600_000;

/** Whether a fault acts before or after the operation. */
export const moment = choice('moment', ['before', 'after']);

const ms = optional(number('milliseconds', 0, heldMsMax));

const latencyFields = {
  ...{ fixed: ms, min: ms, max: ms, median: ms },
  sigma: optional(number('spread', 0, 10)),
  when: optional(moment),
};

/** Reads the parameters of a latency. Errors: InvalidRule, also for parameters that cannot be combined. */
export function readLatency(parameters: object): Extract<FaultEffect, { kind: 'latency' }> {
  const { when, ...times } = checkFields(latencyFields, parameters, 'fault');
  const { fixed, min, max, median, sigma } = times;
  const kind = { kind: 'latency', ...(when !== undefined && { when }) } as const;
  const count = Object.keys(times).length;
  if (count === 1 && fixed !== undefined) return { ...kind, fixed };
  if (count === 2 && min !== undefined && max !== undefined) {
    if (min > max) throw new InvalidRule('fault.min must not exceed fault.max.');
    return { ...kind, min, max };
  }
  if (count === 2 && median !== undefined && sigma !== undefined) return { ...kind, median, sigma };
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
