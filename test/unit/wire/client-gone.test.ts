import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { createSignature } from '../../../src/auth/create-signature.js';
import { createClock } from '../../../src/clock/clock.js';
import { requestLog } from '../../../src/log/log-request.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { createService } from '../../../src/service/service.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { openStore } from '../../../src/store/open-store.js';
import { Abandoned, type TableStore } from '../../../src/store/store.js';
import { createApp } from '../../../src/wire/create-app.js';

it.each([1, 3])('%i queries on a connection stop when their client disconnects, and log no error', async (count) => {
  const clock = createClock();
  const store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
  await store.createTable(developmentAccount.name, 'Table');
  const errors: string[] = [];
  let scanning = 0;
  // Scans that run until they are stopped.
  const endless: TableStore = Object.assign(Object.create(store) as TableStore, {
    readServiceProperties: (account: string) => store.readServiceProperties(account),
    openTable: () => ({
      async readPage(_plan: object, isGone: () => boolean) {
        scanning++;
        while (!isGone()) await setImmediate();
        scanning--;
        throw new Abandoned();
      },
    }),
  });
  const report = (err: unknown, message: string) => logger.error({ err }, message);
  const service = createService({
    accounts: new Accounts([developmentAccount]),
    store: endless,
    now: clock.now,
    bearerTokens: false,
    report,
  });
  const logger = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  const { app, stop } = createApp({ service, logger, bounds: defaultConfig, tls: undefined });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });

  const key = developmentAccount.keys[0] ?? '';
  const access = createSignature({ tn: 'Table', sp: 'r', se: '2099-01-01' }, developmentAccount.name, key);
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  client.write(`GET /${developmentAccount.name}/Table()?${access} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count));
  await vi.waitUntil(() => scanning === count);
  client.destroy();
  await vi.waitUntil(() => scanning === 0, { timeout: 10_000 });

  await stop();
  await store.close();
  expect(errors).toEqual([]);
});

it('A client that disconnects while its signature is checked is logged with 499, and does not delay a stop', async () => {
  const clock = createClock();
  const store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
  let reading: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    reading = resolve;
  });
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: TableStore = Object.assign(Object.create(store) as TableStore, {
    readServiceProperties: (account: string) => store.readServiceProperties(account),
    openTable: () => ({
      async readAccessPolicies() {
        reading();
        await released;
        return [{ id: 'adds', permission: 'a', expiry: '2099-01-01' }];
      },
    }),
  });
  const lines: { status?: number }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const accounts = new Accounts([developmentAccount]);
  const report = (err: unknown, message: string) => logger.error({ err }, message);
  const service = createService({ accounts, store: slow, now: clock.now, bearerTokens: false, report });
  const { app, stop } = createApp({
    service,
    logger,
    bounds: defaultConfig,
    observers: [requestLog(logger)],
    tls: undefined,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const accepted = once(app.server, 'connection');

  const key = developmentAccount.keys[0] ?? '';
  const access = createSignature({ tn: 'Table', si: 'adds' }, developmentAccount.name, key);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' };
  const asked = request(`${url}/${developmentAccount.name}/Table?${access}`, { method: 'POST', headers });
  asked.on('error', () => {}).flushHeaders();
  await begun;
  const [socket] = (await accepted) as [Socket];
  asked.destroy();
  await once(socket, 'close');
  release();

  await stop();
  await store.close();
  expect(lines.map(({ status }) => status)).toEqual([499]);
});
