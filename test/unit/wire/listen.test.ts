import { once } from 'node:events';
import { get as getSecure } from 'node:https';
import { type AddressInfo, connect, createServer, Server } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTabularium, type Tabularium, type TabulariumOptions } from '../../../src/index.js';

/** Whether a program can listen at an address of this machine; on any port if none is given. */
async function canListen(host: string, port = 0): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

const hasV6 = await canListen('::1');

describe.skipIf(!hasV6)(`A server on this machine${hasV6 ? '' : ' (skipped: needs ::1)'}`, () => {
  const clear: (() => unknown)[] = [];
  afterEach(async () => {
    for (const one of clear.splice(0).reverse()) await one();
    vi.restoreAllMocks();
  });
  const start = async (options: TabulariumOptions = {}): Promise<Tabularium> => {
    const instance = await startTabularium(options);
    clear.push(() => instance.close());
    return instance;
  };
  const healthAt = async (host: string, port: number) => {
    const answer = await fetch(`http://${host}:${port}/_tabularium/health`);
    return answer.status;
  };

  it.each([undefined, '127.0.0.1', 'localhost'])(
    'answers at both addresses of localhost, with the host %s',
    async (host) => {
      const { port, url } = await start(host === undefined ? {} : { host });

      expect(url).toBe(`http://${host ?? '127.0.0.1'}:${port}`);
      expect([await healthAt('127.0.0.1', port), await healthAt('[::1]', port)]).toEqual([200, 200]);
    },
  );

  it.each([
    ['0.0.0.0', '::1'],
    ['::1', '127.0.0.1'],
  ])('answers only at %s if it is told to', async (host, other) => {
    const { port } = await start({ host });

    expect(await canListen(other, port)).toBe(true);
  });

  it('answers at both addresses over HTTPS, and for Cosmos DB', async () => {
    const { port, certificate: ca, cosmosUrl } = await start({ https: true, cosmos: true });
    const cosmosPort = Number(new URL(cosmosUrl ?? '').port);
    const ask = (host: string, at: number) =>
      new Promise((resolve, reject) => {
        const options = { host, port: at, path: '/_tabularium/health', ca, agent: false };
        getSecure(options, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
      });

    for (const at of [port, cosmosPort]) expect([await ask('127.0.0.1', at), await ask('::1', at)]).toEqual([200, 200]);
  });

  it('closes the connections at both addresses when it stops, and releases both ports', async () => {
    const instance = await startTabularium();
    const sockets = ['127.0.0.1', '::1'].map((host) => connect({ host, port: instance.port }));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const closed = sockets.map((socket) => once(socket.resume(), 'close'));

    await instance.close();

    await Promise.all(closed);
    expect([await canListen('127.0.0.1', instance.port), await canListen('::1', instance.port)]).toEqual([true, true]);
  });

  it('leaves ::1 to another program that has the port there, and says so in its log', async () => {
    const other = createServer((socket) => socket.end('other'));
    await once(other.listen(0, '::1'), 'listening');
    clear.push(() => other.close());
    const { port } = other.address() as AddressInfo;
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });

    await start({ port, logger });

    expect(await healthAt('127.0.0.1', port)).toBe(200);
    expect(lines).toEqual([
      `[::1]:${port} is not served (EADDRINUSE). Clients that take ::1 for localhost do not reach this server. Use 127.0.0.1.`,
    ]);
  });

  it('takes another free port if ::1 has a program on the first one', async () => {
    const { listen } = Server.prototype;
    const tried: number[] = [];
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...given: unknown[]) {
      const place = given[0] as { host?: string; port: number };
      if (place.host === '::1') tried.push(place.port);
      if (place.host !== '::1' || tried.length > 2) return listen.apply(this, given as Parameters<typeof listen>);
      process.nextTick(() => this.emit('error', Object.assign(new Error('in use'), { code: 'EADDRINUSE' })));
      return this;
    });

    const { port } = await start();

    expect(tried).toHaveLength(3);
    expect(tried.at(-1)).toBe(port);
    expect(await healthAt('[::1]', port)).toBe(200);
  });

  it('is not started if 127.0.0.1 has a program on the port, and leaves nothing at ::1', async () => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    clear.push(() => other.close());
    const { port } = other.address() as AddressInfo;

    await expect(startTabularium({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await canListen('::1', port)).toBe(true);
  });

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])('is started without a word if there is no ::1: %s', async (code) => {
    const { listen } = Server.prototype;
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...given: unknown[]) {
      if ((given[0] as { host?: string }).host !== '::1') return listen.apply(this, given as Parameters<typeof listen>);
      process.nextTick(() => this.emit('error', Object.assign(new Error(code), { code })));
      return this;
    });
    const lines: string[] = [];
    const { port } = await start({ logger: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }) });

    expect([await healthAt('127.0.0.1', port), lines]).toEqual([200, []]);
  });
});
