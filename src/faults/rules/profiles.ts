import type { FaultRule } from '../contract.js';

/** Named sets of rules. (Our choice of figures, except for the rates of `throttle`.) */
export const profiles: ReadonlyMap<string, readonly FaultRule[]> = new Map<string, readonly FaultRule[]>([
  // Failures that a program must survive: transient errors, and a write that times out but is applied.
  [
    'flaky',
    [
      { id: 'flaky-latency', fault: { kind: 'latency', median: 20, sigma: 0.5 } },
      { id: 'flaky-busy', probability: 0.01, fault: 'ServerBusy' },
      { id: 'flaky-timeout', probability: 0.01, fault: { kind: 'error', code: 'OperationTimedOut', applied: true } },
    ],
  ],
  // The cloud on a good day: distance, rate limits, and pages that end early.
  [
    'cloud',
    [
      { id: 'cloud-latency', fault: { kind: 'latency', median: 15, sigma: 0.4 } },
      { id: 'cloud-throttle', fault: 'throttle' },
      { id: 'cloud-pages', probability: 0.25, fault: { kind: 'page', ends: 'rows', rows: 100 } },
    ],
  ],
]);

/** Returns rules with seeds derived from one. Rules with a seed keep it. */
export function withSeeds<Rule extends object>(rules: readonly Rule[], seed: number): readonly Rule[] {
  // With one seed for all, every rule would pick the same requests.
  return rules.map((rule, at) => ({ seed: (seed + Math.imul(at, 0x9e3779b1)) >>> 0, ...rule }));
}
