import type { RequestRecord } from '../../service/observe.js';

/** Upper bounds of the histogram buckets. Unit: seconds. */
export const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The durations of requests with one operation and status. */
export interface RequestSeries {
  readonly operation: string;
  readonly status: number;
  /** Requests per bucket, not cumulative; the last one counts those above all bounds. */
  readonly classes: readonly number[];
  /** Unit: seconds. */
  readonly sum: number;
}

interface OpenSeries extends RequestSeries {
  readonly classes: number[];
  sum: number;
}

/** The operation of requests rejected before routing. */
const unknownOperation = 'unknown';

type CountedRequest = Pick<RequestRecord, 'operation' | 'status' | 'durationMs'>;

/** Counts requests in plain numbers, at almost no cost per request; the page is built on demand. */
export class RequestMetrics {
  /** By operation and status. The server defines both, so clients cannot grow the map. */
  readonly #series = new Map<string, Map<number, OpenSeries>>();

  readonly observe = ({ operation: name, status, durationMs }: CountedRequest): void => {
    const operation = name ?? unknownOperation;
    let ofOperation = this.#series.get(operation);
    if (!ofOperation) {
      ofOperation = new Map();
      this.#series.set(operation, ofOperation);
    }
    let series = ofOperation.get(status);
    if (!series) {
      series = { operation, status, classes: new Array(durationBounds.length + 1).fill(0), sum: 0 };
      ofOperation.set(status, series);
    }
    const seconds = durationMs / 1000;
    let at = 0;
    while (seconds > (durationBounds[at] ?? Number.POSITIVE_INFINITY)) at++;
    series.classes[at] = (series.classes[at] ?? 0) + 1;
    series.sum += seconds;
  };

  series(): readonly RequestSeries[] {
    return [...this.#series.values()].flatMap((ofOperation) => [...ofOperation.values()]);
  }
}
