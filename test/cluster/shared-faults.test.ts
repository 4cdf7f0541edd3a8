import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FaultSummary } from '../../src/index.js';
import type { RunningServer } from '../../src/server.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { clusterDatabase } from '../support/open-cluster.js';
import { clientOf, type SharedServers, shareDatabase } from '../support/shared-servers.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

describe.skipIf(!clusterDatabase)('the fault rules of two servers on one database', () => {
  const entity = "/Table(PartitionKey='p',RowKey='a')";
  let shared: SharedServers;
  let one: RunningServer;
  let two: RunningServer;
  beforeEach(async () => {
    shared = shareDatabase();
    [one, two] = await Promise.all([shared.start(), shared.start()]);
    await clientOf(one).post('/Tables', { TableName: 'Table' });
    await clientOf(two).post('/Table', { PartitionKey: 'p', RowKey: 'a' });
  });
  afterEach(async () => {
    await shared.dispose();
    expect(shared.errors.filter((line) => !line.includes('The database cannot be used'))).toEqual([]);
  });

  const add = ({ call }: RunningServer, ...rules: object[]) => call({ method: 'POST', path: '/faults', body: rules });
  const clear = ({ call }: RunningServer, id = '') => call({ method: 'DELETE', path: `/faults/${id}` });
  const listOn = async ({ call }: RunningServer) =>
    ((await call({ method: 'GET', path: '/faults' })) as { readonly faults: readonly FaultSummary[] }).faults;
  const statusOf = async (server: RunningServer) => (await clientOf(server).get(entity)).status;

  it('act on both as soon as one has answered, and on none as soon as one has removed them', async () => {
    for (let round = 0; round < 10; round++) {
      const [near, far] = round % 2 === 0 ? [one, two] : [two, one];
      await add(near, { id: 'busy', fault: 'serverBusy' });
      expect([await statusOf(far), await statusOf(near)]).toEqual([503, 503]);
      expect(await listOn(near)).toMatchObject([{ id: 'busy', matched: 2, hits: 2, ended: false }]);
      expect(await listOn(far)).toEqual(await listOn(near));
      await (round % 3 === 0 ? clear(far) : clear(far, 'busy'));
      expect([await statusOf(near), await statusOf(far)]).toEqual([200, 200]);
      expect([await listOn(one), await listOn(two)]).toEqual([[], []]);
    }
  });

  it('are replaced by either', async () => {
    await add(one, { id: 'a', fault: 'serverBusy' });
    await two.call({ method: 'PUT', path: '/faults', body: [{ id: 'b', fault: 'internalError' }] });
    expect(await statusOf(one)).toBe(500);
    expect((await listOn(one)).map(({ id }) => id)).toEqual(['b']);
    await add(one, { id: 'b', fault: 'serverBusy' });
    expect(await statusOf(two)).toBe(503);
  });

  it('that are set on both at the same time all act, with ids of their own', async () => {
    const when = { header: { name: 'x-never' } };
    await Promise.all([one, two, one, two].map((server) => add(server, { when, fault: 'serverBusy' })));
    expect(new Set((await listOn(one)).map(({ id }) => id)).size).toBe(4);
  });

  it('act as often as they may, over all servers', async () => {
    await add(one, { id: 'three', fault: 'serverBusy', times: 3 });
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, at) => statusOf(at % 2 === 0 ? one : two)));
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    expect(await listOn(two)).toMatchObject([{ hits: 3, ended: true }]);
    expect([await statusOf(one), await statusOf(two)]).toEqual([200, 200]);
  });

  it('of a seed act on the same requests, to whichever server they go', async () => {
    const run = async (server: (at: number) => RunningServer) => {
      await clear(one);
      await add(one, { fault: 'serverBusy', probability: 0.4, seed: 7, after: 2 });
      const statuses: number[] = [];
      for (let at = 0; at < 20; at++) statuses.push(await statusOf(server(at)));
      return statuses;
    };
    const alone = await run(() => one);
    expect(new Set(alone)).toEqual(new Set([200, 503]));
    expect(await run((at) => (at % 3 === 0 ? one : two))).toEqual(alone);
  });

  it('are known to a server that starts later, and stay when the one that set them stops', async () => {
    await add(one, { id: 'busy', fault: 'serverBusy' });
    await one.close();
    const three = await shared.start();
    expect(await statusOf(three)).toBe(503);
    expect(await statusOf(two)).toBe(503);
    expect(await listOn(three)).toMatchObject([{ id: 'busy', hits: 2 }]);
  });

  it('end on both by the clock of the database, at the latest after an hour', async () => {
    await add(one, { id: 'short', fault: 'serverBusy', for: '300ms' });
    await vi.waitUntil(async () => (await statusOf(two)) === 200, { timeout: 30_000 });
    expect(await statusOf(one)).toBe(200);
    expect((await listOn(two))[0]).toMatchObject({ id: 'short', ended: true });
    const before = Date.now();
    await add(one, { id: 'once', fault: 'serverBusy', times: 1 });
    const ends = Date.parse((await listOn(two)).find(({ id }) => id === 'once')?.ends ?? '');
    expect(Math.abs(ends - before - 3_600_000)).toBeLessThan(60_000);
  });

  it('that hold a request of one server let it go on when the other removes them', async () => {
    await add(one, { id: 'hold', fault: { kind: 'latency', fixed: 600_000 }, times: 1 });
    const held = statusOf(two);
    await vi.waitUntil(async () => (await listOn(one))[0]?.hits === 1, { timeout: 30_000 });
    await clear(one);
    expect(await held).toBe(200);
  });

  it('of --faults are those of the server that was started with them', async () => {
    const three = await shared.start({ faults: 'fault=503 op=get', faultSeed: 7 });
    await add(two, { id: 'never', when: { header: { name: 'x-never' } }, fault: 'serverBusy' });
    expect([await statusOf(one), await statusOf(three)]).toEqual([200, 503]);
    expect((await listOn(three)).map(({ id }) => id)).toEqual(['own-1', 'never']);
    expect((await listOn(one)).map(({ id }) => id)).toEqual(['never']);
    await clear(three);
    expect(await statusOf(three)).toBe(200);
    expect(await listOn(one)).toEqual([]);
  });

  describe('of which one loses its connections', () => {
    let proxy: CuttingProxy;
    let far: RunningServer;
    beforeEach(async () => {
      proxy = await CuttingProxy.start(Number(new URL(url).port), { request: 0, answer: 0 }, () => 1);
      far = await shared.start({}, Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href);
    });
    afterEach(async () => {
      proxy.goOn();
      await far.close();
      await proxy.stop();
    });

    it('act on both as soon as one has answered', async () => {
      for (let round = 0; round < 5; round++) {
        proxy.cutAll();
        await add(one, { id: 'busy', fault: 'serverBusy' });
        expect(await statusOf(far)).toBe(503);
        proxy.cutAll();
        await clear(one);
        expect(await statusOf(far)).toBe(200);
      }
    });

    it('count each request once', async () => {
      await add(one, { fault: { kind: 'latency', fixed: 0 }, for: '10m' });
      for (let round = 0; round < 10; round++) {
        const asked = Array.from({ length: 8 }, () => statusOf(far));
        proxy.cutAll();
        expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
      }
      expect(await listOn(one)).toMatchObject([{ matched: 80, hits: 80 }]);
    });

    it('are answered to the one that sets them, even if the other cannot be told', async () => {
      proxy.swallowAnswers();
      await add(one, { id: 'busy', fault: 'serverBusy' });
      proxy.goOn();
      expect([await statusOf(one), await statusOf(far)]).toEqual([503, 503]);
    });

    it('are not applied without the database: requests and changes are answered with 503, and nothing stays', async () => {
      await add(far, { id: 'busy', fault: 'serverBusy' });
      proxy.refuse();
      const [{ status, body }, ...refusals] = await Promise.all([
        clientOf(far).get(entity),
        ...[listOn(far), add(far, { fault: 'serverBusy' }), clear(far)].map((call) => call.catch(String)),
      ]);
      expect([status, body]).toEqual([503, expect.stringContaining('ServerBusy')]);
      for (const refusal of refusals) expect(refusal).toContain('The database cannot be used');
      expect(shared.errors).toHaveLength(1);
      await clear(one);
      proxy.goOn();
      expect(await statusOf(far)).toBe(200);
      expect(await listOn(far)).toEqual([]);
    });
  });
});
