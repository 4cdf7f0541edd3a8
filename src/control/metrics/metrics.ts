import { controlRoot } from '../../wire/reserved-endpoints.js';
import type { ControlRow } from '../control-row.js';
import type { MeasuredStore, MetricsPage } from './metrics-page.js';
import type { RequestMetrics } from './request-metrics.js';

/** Returns the row for the metrics page. */
export function metricsRow(metrics: RequestMetrics, store: MeasuredStore): ControlRow {
  let page: Promise<MetricsPage> | undefined;
  return {
    method: 'GET',
    path: `${controlRoot}/metrics`,
    purpose: 'counts and durations, for Prometheus',
    isOpen: true,
    async run() {
      // The page is loaded at its first use: most servers are never watched.
      page ??= import('./metrics-page.js').then(({ createMetricsPage }) => createMetricsPage(metrics, store));
      const { contentType, write } = await page;
      return { status: 200, contentType, body: await write() };
    },
  };
}
