import type { FaultRule } from '../contract.js';

/** Rules that belong together. Their figures are ours, but for the rates of `throttle`. */
export const profiles: ReadonlyMap<string, readonly FaultRule[]> = new Map<string, readonly FaultRule[]>([
  // What a program must survive: errors that come and go, and a write that was applied though it timed out.
  [
    'flaky',
    [
      { id: 'flaky-latency', fault: { kind: 'latency', median: 20, sigma: 0.5 } },
      { id: 'flaky-busy', probability: 0.01, fault: 'ServerBusy' },
      { id: 'flaky-timeout', probability: 0.01, fault: { kind: 'error', code: 'OperationTimedOut', applied: true } },
    ],
  ],
  // What a program meets in the cloud on a good day: distance, limits of rates, and pages that end early.
  [
    'cloud',
    [
      { id: 'cloud-latency', fault: { kind: 'latency', median: 15, sigma: 0.4 } },
      { id: 'cloud-throttle', fault: 'throttle' },
      { id: 'cloud-pages', probability: 0.25, fault: { kind: 'page', ends: 'rows', rows: 100 } },
    ],
  ],
]);

/** Returns rules that have a seed each, all of them from one. Rules with a seed keep it. */
export function withSeeds<Rule extends object>(rules: readonly Rule[], seed: number): readonly Rule[] {
  // With one seed for all, the requests that one rule acts on would be those of the next, too.
  return rules.map((rule, at) => ({ seed: (seed + Math.imul(at, 0x9e3779b1)) >>> 0, ...rule }));
}
