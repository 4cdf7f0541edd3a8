import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { durationBounds, type RequestMetrics, type RequestSeries } from './request-metrics.js';

/** A page of metrics in the format of Prometheus. */
export interface MetricsPage {
  readonly contentType: string;
  write(): Promise<string>;
}

/** The metrics of a store. */
export interface MeasuredStore {
  /** Estimated size of the cache. Unit: bytes. */
  readonly cacheBytes: number;
  /** Returns further metrics, always with the same names. */
  measure?(): readonly {
    readonly name: string;
    readonly help: string;
    readonly kind: 'counter' | 'gauge';
    readonly value: number;
  }[];
}

const labelNames = ['operation', 'status'] as const;
type Label = (typeof labelNames)[number];

const durations = {
  name: 'tabularium_request_duration_seconds',
  help: 'How long requests took, by operation and status',
  type: 'histogram',
} as const;

/** Creates the page for Prometheus, and starts collecting process metrics. */
export function createMetricsPage(requests: RequestMetrics, store: MeasuredStore): MetricsPage {
  const registry = new Registry();
  const registers = [registry];
  new Counter({
    name: 'tabularium_requests_total',
    help: 'Requests that were answered, by operation and status; 499 where the client did not wait',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const one of requests.series()) this.inc(labelsOf(one), countOf(one));
    },
  });
  registry.registerMetric(new DurationHistogram(requests));
  new Gauge({
    name: 'tabularium_store_cache_bytes',
    help: 'Estimated size of the cache of entities',
    registers,
    collect() {
      this.set(store.cacheBytes);
    },
  });
  for (const { name } of store.measure?.() ?? []) watchMeasurement(registry, store, name);
  collectDefaultMetrics({ register: registry });
  return { contentType: registry.contentType, write: () => registry.metrics() };
}

function watchMeasurement(registry: Registry, store: MeasuredStore, name: string): void {
  const find = () => store.measure?.().find((one) => one.name === name);
  const { help = '', kind } = find() ?? {};
  const metric = { name: `tabularium_store_${name}`, help, registers: [registry] };
  if (kind === 'gauge') {
    new Gauge({
      ...metric,
      collect() {
        this.set(find()?.value ?? 0);
      },
    });
  } else {
    new Counter({
      ...metric,
      collect() {
        this.reset();
        this.inc(find()?.value ?? 0);
      },
    });
  }
}

/** A histogram of existing counts: the library's own accepts only single durations. */
class DurationHistogram extends Histogram<Label> {
  readonly #requests: RequestMetrics;

  constructor(requests: RequestMetrics) {
    super({ ...durations, labelNames, buckets: [...durationBounds], registers: [] });
    this.#requests = requests;
  }

  override async get() {
    const values = this.#requests.series().flatMap(writeSeries);
    return { ...durations, aggregator: 'sum', values } as unknown as Awaited<ReturnType<Histogram<Label>['get']>>;
  }

  /** Called by the registry, although the library declares only `get`. */
  getForPromString() {
    return this.get();
  }
}

function writeSeries(series: RequestSeries) {
  const labels = labelsOf(series);
  let below = 0;
  const buckets = series.classes.map((count, at) => {
    below += count;
    return {
      metricName: `${durations.name}_bucket`,
      labels: { le: durationBounds[at] ?? '+Inf', ...labels },
      value: below,
    };
  });
  return [
    ...buckets,
    { metricName: `${durations.name}_sum`, labels, value: series.sum },
    { metricName: `${durations.name}_count`, labels, value: below },
  ];
}

function labelsOf({ operation, status }: RequestSeries): { operation: string; status: string } {
  return { operation, status: String(status) };
}

function countOf({ classes }: RequestSeries): number {
  return classes.reduce((sum, count) => sum + count, 0);
}
