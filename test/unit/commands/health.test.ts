import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { askHealth } from '../../../src/commands/verbs/ask-health.js';
import { freePort } from '../../support/programs/free-port.mjs';
import { runLine } from '../../support/programs/run-line.js';
import { type HttpsService, startHttpsService } from '../../support/servers/https-service.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

let service: RunningService;
let secure: HttpsService;
beforeAll(async () => {
  [service, secure] = await Promise.all([startService(), startHttpsService()]);
});
afterAll(() => Promise.all([service.close(), secure.close()]));

const portOf = ({ url }: { url: string }) => new URL(url).port;
const check = async (url: string, environment: NodeJS.ProcessEnv = {}) => {
  const { code, out, errors } = await runLine(['health', ...(url === '' ? [] : ['--url', url])], environment);
  return { code, line: `${out}${errors}`.trimEnd() };
};

describe('A health check', () => {
  it('reports a ready server as healthy', async () => {
    expect(await check(portOf(service))).toEqual({ code: 0, line: `ready: ${service.url}` });
    expect(JSON.parse((await runLine(['health', '--json', '--url', service.url])).out)).toEqual({ status: 'ready' });
  });

  it('asks the loopback address if the server listens on all addresses', async () => {
    const environment = { TABULARIUM_TABLE_HOST: '0.0.0.0', TABULARIUM_TABLE_PORT: portOf(service) };
    expect(await check('', environment)).toEqual({ code: 0, line: `ready: ${service.url}` });
  });

  it.each(['https', 'http'])('at %s finds a server on HTTPS with an untrusted certificate', async (scheme) => {
    expect(await check(`${scheme}://127.0.0.1:${portOf(secure)}`)).toEqual({ code: 0, line: `ready: ${secure.url}` });
  });

  it('finds a server on HTTP when it expects HTTPS', async () => {
    expect(await check(service.url.replace('http', 'https'))).toEqual({ code: 0, line: `ready: ${service.url}` });
  });

  it('reports a stopping server as unhealthy', async () => {
    const stopping: RequestListener = (_request, response) =>
      response.writeHead(503, { 'x-tabularium': 'control' }).end('{"status":"stopping"}\n');

    await withHttp(stopping, async (port) => {
      expect(await check(port)).toEqual({
        code: 1,
        line: `stopping: http://127.0.0.1:${port}`,
      });
    });
  });

  it('reports another HTTP server as unhealthy', async () => {
    const other: RequestListener = (_request, response) =>
      response.writeHead(400, { Server: 'Azurite-Table/3.35.0' }).end('<Error/>');

    await withHttp(other, async (port) => {
      expect(await check(port)).toEqual({
        code: 1,
        line: `not reached: http://127.0.0.1:${port}: the server there is not Tabularium but Azurite-Table/3.35.0`,
      });
    });
  });

  it('reports another program that says it is well as unhealthy', async () => {
    await withHttp(
      (_request, response) => response.end('{"status":"ok"}'),
      async (port) => {
        expect(await check(port)).toEqual({
          code: 1,
          line: `not reached: http://127.0.0.1:${port}: the server there is not Tabularium but unnamed`,
        });
      },
    );
  });

  it('reports a port without a server as unhealthy', async () => {
    const port = await freePort();

    expect(await check(String(port))).toEqual({
      code: 1,
      line: `not reached: http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it('reports a program that closes the connection as unhealthy', async () => {
    const server = createServer((socket: Socket) => socket.destroy());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;

    expect(await check(String(port))).toMatchObject({ code: 1 });
    server.close();
  });
});

async function withHttp(listener: RequestListener, test: (port: string) => Promise<void>): Promise<void> {
  const server = createHttpServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await test(String((server.address() as AddressInfo).port));
  } finally {
    server.close();
  }
}

describe('A health check that gets no answer', () => {
  /**
   * Asks a server for its health within 0.2 s, and counts its connections. The server handles its sockets with `treat`, which gets
   * their numbers, from 1, and a function that ends the time.
   */
  async function asked(treat: (socket: Socket, number: number, endTime: () => void) => void) {
    const time = new AbortController();
    const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    let connections = 0;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      treat(socket, ++connections, () => time.abort());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const answerer = await askHealth({ host: '127.0.0.1', port, scheme: 'http' }, 200);
    expect(limit.mock.calls).toEqual([[200]]);
    limit.mockRestore();
    server.close();
    return { answerer, connections };
  }
  const noAnswer = { kind: 'none', code: '', message: 'no answer within 0.2 s' };

  it('ends after the time limit, and does not try the other scheme', async () => {
    const { answerer, connections } = await asked((socket, _number, endTime) => socket.once('data', endTime));

    expect({ answerer, connections }).toEqual({ answerer: noAnswer, connections: 1 });
  });

  it('ends after the time limit even if interim responses keep coming', async () => {
    const { answerer } = await asked((socket, _number, endTime) => {
      let sent = 0;
      const drip = () => {
        if (++sent === 10) endTime();
        socket.write('HTTP/1.1 102 Processing\r\n\r\n', (error) => error ?? setImmediate(drip));
      };
      socket.once('data', drip);
    });

    expect(answerer).toEqual(noAnswer);
  });

  it('gives the second scheme only the remaining time', async () => {
    const { answerer, connections } = await asked((socket, number, endTime) => {
      if (number === 1) socket.destroy();
      else socket.once('data', endTime);
    });

    expect({ answerer, connections }).toEqual({ answerer: noAnswer, connections: 2 });
  });
});
