import type { ControlRow } from './control-row.js';
import type { MetricsPage } from './metrics-page.js';
import type { RequestMetrics } from './request-metrics.js';

/** Returns the row for the metrics page. `cacheBytes` is the size of the read cache. */
export function metricsRow(metrics: RequestMetrics, cacheBytes: () => number): ControlRow {
  let page: Promise<MetricsPage> | undefined;
  return {
    method: 'GET',
    path: '/_tabularium/metrics',
    purpose: 'counts and durations, for Prometheus',
    async run() {
      // The page is loaded at its first use: most servers are never watched.
      page ??= import('./metrics-page.js').then(({ createMetricsPage }) => createMetricsPage(metrics, cacheBytes));
      const { contentType, write } = await page;
      return { status: 200, contentType, body: await write() };
    },
  };
}
