import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { createClock } from '../../../src/clock/clock.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import type { RequestRecord } from '../../../src/service/observe.js';
import { createService } from '../../../src/service/service.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { openStore } from '../../../src/store/open-store.js';
import { type App, createApp } from '../../../src/wire/create-app.js';
import { batchBoundary, insert, type PartRequest, update, writeChangeSet } from '../../support/bodies/batch-tools.js';
import { ServiceClient } from '../../support/clients/service-client.js';

describe('An observer of requests', () => {
  const heard: [observer: string, record: RequestRecord][] = [];
  const copy = (name: string) => (record: RequestRecord) => void heard.push([name, { ...record }]);
  let server: App;
  let close: () => Promise<void>;
  let url = '';
  const client = new ServiceClient(() => ({
    url,
    base: `${url}/${developmentAccount.name}`,
    account: developmentAccount,
    takeLoggedErrors: () => [],
    close: () => close(),
  }));
  beforeAll(async () => {
    const clock = createClock();
    const store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
    const accounts = new Accounts([developmentAccount]);
    const report = () => {};
    const service = createService({ accounts, store, now: clock.now, bearerTokens: false, report });
    const logger = pino({ level: 'silent' });
    const observers = [copy('first'), copy('second')];
    server = createApp({ service, logger, bounds: defaultConfig, observers, tls: undefined });
    url = await server.app.listen({ host: '127.0.0.1', port: 0 });
    close = async () => {
      await server.stop();
      await store.close();
    };
  });
  afterAll(async () => {
    client.close();
    await close();
  });

  const hear = async (send: () => Promise<unknown>) => {
    heard.length = 0;
    await send();
    return heard.map(([, record]) => record);
  };

  it('is notified of each request once, one observer after the other', async () => {
    await hear(() => client.post('/Tables', { TableName: 'Heard' }));

    expect(heard.map(([name]) => name)).toEqual(['first', 'second']);
  });

  it('gets operation, account, resource, status, duration and size of the answer', async () => {
    let size = 0;
    const [record] = await hear(async () => {
      size = (await client.get('/Heard')).body.length;
    });

    expect(record).toMatchObject({
      operation: 'Query Entities',
      account: developmentAccount.name,
      resource: { kind: 'entities', table: 'Heard' },
      status: 200,
      rejection: undefined,
      failedPart: undefined,
      requestBytes: 0,
      durationMs: expect.any(Number),
      answerBytes: size,
    });
    expect(size).toBeGreaterThan(0);
  });

  it('gets the size of the body of a request in bytes', async () => {
    const [record] = await hear(() => client.post('/Heard', '{"PartitionKey":"ä","RowKey":"r"}'));

    expect(record).toMatchObject({ status: 201, requestBytes: 34 });
  });

  const sendChangeSet = (...parts: PartRequest[]) =>
    client.post('/$batch', writeChangeSet(parts), {
      headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
    });

  it('gets the operation of a transaction that failed, with its error and its position', async () => {
    const missing = update('PUT', "/Heard(PartitionKey='p',RowKey='none')", {}, 'If-Match: *');
    const [record] = await hear(() => sendChangeSet(insert('Heard', { PartitionKey: 'p', RowKey: 'r' }), missing));

    expect(record).toMatchObject({ operation: 'Entity Group Transaction', status: 202, rejection: undefined });
    expect(record?.failedPart).toMatchObject({
      operation: 'Update Entity',
      rejection: { code: 'ResourceNotFound', at: 1 },
    });
  });

  it('gets the error of an operation of a transaction that does not exist', async () => {
    const [record] = await hear(() => sendChangeSet({ method: 'PUT', url: '/Heard' }));

    expect(record?.failedPart).toMatchObject({ operation: undefined, rejection: { code: 'MethodNotAllowed', at: 0 } });
  });

  it('gets nothing that failed of a transaction that was done', async () => {
    const [record] = await hear(() => sendChangeSet(insert('Heard', { PartitionKey: 'p', RowKey: 'r' })));

    expect(record).toMatchObject({ status: 202, failedPart: undefined });
  });

  it('gets the rejection of a request, and nothing that the request never came to', async () => {
    const [record] = await hear(() => client.get('/Heard', { auth: 'none' }));

    expect(record).toMatchObject({ operation: undefined, resource: undefined, account: developmentAccount.name });
    expect(record?.rejection?.code).toBe(
      record?.status === 401 ? 'NoAuthenticationInformation' : 'AuthenticationFailed',
    );
  });
});
