import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreHealth } from '../../../src/control/create-control.js';
import { type ControlOptions, createControl } from '../../../src/control/create-control.js';
import { RequestMetrics } from '../../../src/control/metrics/request-metrics.js';
import { AllowedHosts } from '../../../src/service/allowed-hosts.js';
import { isReserved } from '../../../src/wire/reserved-endpoints.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

/** Sends a request with exactly this target and these headers. */
async function send(url: string, path: string, { method = 'GET', ...headers }: Record<string, string> = {}) {
  const { hostname, port } = new URL(url);
  const outgoing = request({ host: hostname, port, path, method, headers, agent: false });
  const [response] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return { status: response.statusCode, headers: response.headers, body };
}

describe('Health', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.each([
    ['/_tabularium/health', 'ready'],
    ['/_tabularium/health/live', 'live'],
    ['http://localhost/_tabularium/health', 'ready'],
  ])('at %s is answered without authentication', async (path, status) => {
    const answer = await send(service.url, path);

    expect(answer).toMatchObject({ status: 200, body: `{"status":"${status}"}\n` });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each(['devstoreaccount1.table.localhost', '[::1]:10002', 'tabularium'])(
    'is answered under the host name %s',
    async (host) => {
      expect(await send(service.url, '/_tabularium/health', { host })).toMatchObject({ status: 200 });
    },
  );

  it('is rejected to every caller under a foreign host, and the error names the option that helps', async () => {
    const answer = await send(service.url, '/_tabularium/health', { host: 'foreign.example:80' });

    expect(answer).toMatchObject({ status: 403, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(JSON.parse(answer.body)).toEqual({
      error:
        'The host foreign.example is not allowed. Start the server with --allowedHosts foreign.example if it is yours.',
    });
  });

  it('is answered to HEAD without a body', async () => {
    const answer = await send(service.url, '/_tabularium/health', { method: 'HEAD' });

    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(answer.headers['content-length']).toBe('19');
  });

  it.each(['POST', 'DELETE', 'OPTIONS'])('rejects %s', async (method) => {
    const answer = await send(service.url, '/_tabularium/health', { method });

    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it.each(['/_tabularium', '/_tabularium/', '/_tabularium/helth', '/_other', '/_'])(
    'is not found at %s, and the error lists the paths that exist',
    async (path) => {
      const answer = await send(service.url, path);

      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body)).toMatchObject({
        error: expect.stringContaining('There is nothing at /_'),
        paths: { '/_tabularium/health': expect.any(String), '/_tabularium/metrics': expect.any(String) },
      });
    },
  );

  it('does not change the answers to paths of accounts', async () => {
    expect((await send(service.url, '/devstoreaccount1/_tabularium/health')).headers).toHaveProperty('x-ms-request-id');
  });
});

describe('The health of a server that cannot serve', () => {
  async function healthOf(health: Partial<StoreHealth>, isStopping: boolean) {
    const store = { answers: () => true, checkWrites: async () => {}, cacheBytes: 0, listTables: () => [], ...health };
    const hosts = new AllowedHosts([]);
    const { endpoints } = createControl({
      hosts,
      adminHosts: hosts,
      access: { mode: 'off', token: undefined, readToken: undefined, isGenerated: false },
      report: () => {},
      metrics: new RequestMetrics(),
      ...({ accounts: {}, state: {}, events: {}, faults: {}, clock: {} } as Pick<
        ControlOptions,
        'accounts' | 'state' | 'events' | 'faults' | 'clock'
      >),
      openTransfer: () => Promise.reject(new Error()),
      server: {
        isStopping,
        started: 0,
        accounts: () => [],
        location: undefined,
        rootOf: (root: string) => root,
        urlOf: () => '',
        serviceAt: () => undefined,
      },
      store,
    });
    const server = createServer((incoming, response) => void endpoints.answer(incoming, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [ready, live] = [await send(url, '/_tabularium/health'), await send(url, '/_tabularium/health/live')];
    server.close();
    return { ready: [ready.status, JSON.parse(ready.body)], live: live.status };
  }

  const failing = () => {
    throw new Error('the engine is closed');
  };

  it.each([
    ['it is stopping', {}, true, 'stopping'],
    ['its store does not answer', { answers: () => false }, false, 'store-fails'],
    ['its store resolves to no answer', { answers: async () => false }, false, 'store-fails'],
    ['its store fails', { answers: failing }, false, 'store-fails'],
    ['writes cannot succeed', { checkWrites: () => Promise.reject(new Error('full')) }, false, 'writes-fail'],
  ])('is not ready, but live, when %s', async (_why, probe, stopping, status) => {
    expect(await healthOf(probe, stopping)).toEqual({ ready: [503, { status }], live: 200 });
  });
});

describe('A reserved path', () => {
  it.each([
    ['/_tabularium', true],
    ['/_', true],
    ['HTTP://host/_x', true],
    ['/devstoreaccount1', false],
    ['/a_b', false],
    ['/%5Ftabularium', false],
    ['*', false],
    ['http://host', false],
    ['http://host?a=/_', false],
  ])('%s: %s', (url, reserved) => {
    expect(isReserved(url)).toBe(reserved);
  });
});
