import type { AllowedHosts } from '../http/allowed-hosts.js';
import { Control } from './control.js';
import type { ControlRow } from './control-row.js';
import { guardHosts } from './guard.js';
import { healthRows, type Stopping, type StoreHealth } from './health.js';
import { metricsRow } from './metrics.js';
import type { RequestMetrics } from './request-metrics.js';

/** What the control endpoints are made of. */
export interface ControlOptions {
  readonly hosts: AllowedHosts;
  readonly metrics: RequestMetrics;
  readonly server: Stopping;
  readonly store: StoreHealth & { readonly cacheBytes: number };
}

/** Creates the control endpoints: the table of all rows, with its guard. */
export function createControl({ hosts, metrics, server, store }: ControlOptions): Control {
  const rows: readonly ControlRow[] = [...healthRows(store, server), metricsRow(metrics, () => store.cacheBytes)];
  return new Control(rows, guardHosts(hosts));
}
