import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetricsPage } from '../../../src/control/metrics/metrics-page.js';
import { durationBounds, RequestMetrics } from '../../../src/control/metrics/request-metrics.js';
import type { OperationName } from '../../../src/protocol/operation-names.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

/** Returns the samples of a metrics page, by name and labels. */
function samplesOf(page: string): ReadonlyMap<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

function count(
  metrics: RequestMetrics,
  operation: OperationName | undefined,
  status: number,
  durationMs: number,
): void {
  metrics.observe({ operation, status, durationMs });
}

describe('Durations', () => {
  it('are counted in the class with the smallest bound that they do not exceed', () => {
    const metrics = new RequestMetrics();
    for (const ms of [0, 0.5, 0.51, 10_000, 10_001]) count(metrics, 'Insert Entity', 201, ms);

    const [series] = metrics.series();
    const counted = series?.classes.flatMap((count, at) => (count > 0 ? [[durationBounds[at], count]] : []));
    expect(counted).toEqual([
      [0.0005, 2],
      [0.001, 1],
      [10, 1],
      [undefined, 1],
    ]);
    expect(series?.sum).toBeCloseTo(20.00201, 5);
  });

  it('are counted separately by operation and status', () => {
    const metrics = new RequestMetrics();
    count(metrics, 'Insert Entity', 201, 1);
    count(metrics, 'Insert Entity', 409, 1);
    count(metrics, undefined, 403, 1);

    expect(metrics.series().map(({ operation, status }) => [operation, status])).toEqual([
      ['Insert Entity', 201],
      ['Insert Entity', 409],
      ['unknown', 403],
    ]);
  });

  it('are written as a histogram with cumulative buckets', async () => {
    const metrics = new RequestMetrics();
    for (const ms of [1, 2, 20_000]) count(metrics, 'Get Entity', 200, ms);
    const samples = samplesOf(await createMetricsPage(metrics, { cacheBytes: 7 }).write());

    const name = 'tabularium_request_duration_seconds';
    const labels = 'operation="Get Entity",status="200"';
    const buckets = [...durationBounds, '+Inf'].map((le) => samples.get(`${name}_bucket{le="${le}",${labels}}`));
    expect(buckets).toEqual([0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3]);
    expect(samples.get(`${name}_count{${labels}}`)).toBe(3);
    expect(samples.get(`${name}_sum{${labels}}`)).toBeCloseTo(20.003);
    expect(samples.get('tabularium_store_cache_bytes')).toBe(7);
  });

  it('come with what the store measures, as it is at each request', async () => {
    let value = 1;
    const measure = () => [
      { name: 'groups_total', help: 'Groups', kind: 'counter' as const, value },
      { name: 'changes_waiting', help: 'Changes', kind: 'gauge' as const, value: 10 * value },
    ];
    const page = createMetricsPage(new RequestMetrics(), { cacheBytes: 0, measure });
    for (value of [3, 5]) {
      const samples = samplesOf(await page.write());
      expect(samples.get('tabularium_store_groups_total')).toBe(value);
      expect(samples.get('tabularium_store_changes_waiting')).toBe(10 * value);
    }
  });
});

describe('/_tabularium/metrics', () => {
  let service: RunningService;
  let client: ServiceClient;
  beforeAll(async () => {
    service = await startService();
    client = new ServiceClient(() => service);
  });
  afterAll(async () => {
    client.close();
    await service.close();
  });

  async function scrape(): Promise<ReadonlyMap<string, number>> {
    const answer = await fetch(`${service.url}/_tabularium/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    return samplesOf(await answer.text());
  }

  it('counts requests from the start of the server, not from the first scrape, and continues to count', async () => {
    await client.post('/Tables', { TableName: 'Counted' });
    await client.post('/Tables', { TableName: 'Counted' });
    const rejected = await client.get('/Tables', { auth: 'none' });
    const count = (samples: ReadonlyMap<string, number>, operation: string, status: number) =>
      samples.get(`tabularium_requests_total{operation="${operation}",status="${status}"}`);

    const first = await scrape();
    expect(count(first, 'Create Table', 201)).toBe(1);
    expect(count(first, 'Create Table', 409)).toBe(1);
    expect(count(first, 'unknown', rejected.status)).toBe(1);

    await client.get('/Tables');
    const second = await scrape();
    expect(count(second, 'Create Table', 201)).toBe(1);
    expect(count(second, 'Query Tables', 200)).toBe(1);
  });

  it('does not count scrapes', async () => {
    const [before, after] = [await scrape(), await scrape()];
    const total = (samples: ReadonlyMap<string, number>) =>
      [...samples].reduce(
        (sum, [name, value]) => (name.startsWith('tabularium_requests_total') ? sum + value : sum),
        0,
      );

    expect(total(after)).toBe(total(before));
  });

  it('contains samples of the store and the process', async () => {
    const samples = await scrape();

    expect(samples.get('tabularium_store_cache_bytes')).toBeGreaterThanOrEqual(0);
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });
});
