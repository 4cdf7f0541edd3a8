import { afterEach, beforeEach, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { createClock } from '../../../src/clock/clock.js';
import { RequestMetrics } from '../../../src/control/metrics/request-metrics.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { createService, type Service } from '../../../src/service/service.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { openStore } from '../../../src/store/open-store.js';
import { createApp } from '../../../src/wire/create-app.js';
import { ServiceClient } from '../../support/clients/service-client.js';

/** A server of this process, with what it keeps between requests. */
interface Started {
  readonly service: Service;
  readonly metrics: RequestMetrics;
  readonly client: ServiceClient;
}

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function start(): Promise<Started> {
  const clock = createClock();
  const store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
  const accounts = new Accounts([developmentAccount]);
  const service = createService({ accounts, store, now: clock.now, bearerTokens: false, report: () => {} });
  const metrics = new RequestMetrics();
  const logger = { level: 'silent' } as never;
  const observers = [metrics.observe];
  const { app, stop } = createApp({
    service,
    logger,
    bounds: defaultConfig,
    observers,
    groupsReads: true,
    tls: undefined,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const base = `${url}/${developmentAccount.name}`;
  const client = new ServiceClient(() => ({
    ...{ url, base, account: developmentAccount, takeLoggedErrors: () => [], close: stop },
  }));
  closers.push(
    () => client.close(),
    stop,
    () => store.close(),
  );
  return { service, metrics, client };
}

/** What a server has kept of its requests. */
const keptBy = ({ service, metrics }: Started) => ({
  lastRequest: service.ids.last,
  counted: metrics.series().length,
  filters: service.filters.size,
  pageBytes: service.pages.keptBytes,
});

let one: Started;
let other: Started;
beforeEach(async () => {
  [one, other] = [await start(), await start()];
});

it('A hundred requests to one server of a process leave nothing in the other', async () => {
  const before = keptBy(other);
  await one.client.post('/Tables', { TableName: 'Table' });
  for (let row = 0; row < 60; row++) {
    await one.client.post('/Table', { PartitionKey: 'p', RowKey: String(row), Text: 'x'.repeat(1000) });
  }
  for (let at = 0; at < 19; at++) await one.client.get(`/Table()?$filter=${encodeURIComponent("RowKey ge '0'")}`);
  for (let at = 0; at < 20; at++) await one.client.get(`/Table(PartitionKey='p',RowKey='${at}')`, { auth: 'none' });

  expect(keptBy(one)).toEqual({
    lastRequest: 100,
    counted: expect.any(Number),
    filters: 1,
    pageBytes: expect.any(Number),
  });
  expect(keptBy(one).counted).toBeGreaterThan(3);
  expect(keptBy(one).pageBytes).toBeGreaterThan(0);
  expect(keptBy(other)).toEqual(before);
  expect(before).toEqual({ lastRequest: 0, counted: 0, filters: 0, pageBytes: 0 });
});

it('The ids of the requests of two servers differ', async () => {
  const [first, second] = await Promise.all([one, other].map(({ client }) => client.get('/Tables')));

  const start = (id: unknown) => String(id).slice(0, 24);
  expect(start(first?.headers['x-ms-request-id'])).not.toBe(start(second?.headers['x-ms-request-id']));
});
