import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultConfig } from '../../../src/settings/config.js';
import { AnswerGroups } from '../../../src/wire/answers/answer-groups.js';
import { Connections, connectionsMax } from '../../../src/wire/connections/connections.js';

const bounds = { headersMs: 30_000, bodyMs: 60_000, keepAliveMs: 120_000 };
const head = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let clear: (() => void)[] = [];
afterEach(() => {
  for (const one of clear) one();
  clear = [];
});

it('Connections are looked at as often as their time limits need, whatever else the settings contain', () => {
  vi.useFakeTimers();
  clear.push(() => vi.useRealTimers());
  const look = vi.spyOn(Connections.prototype, 'look');
  const connections = new Connections({ ...defaultConfig, ...bounds });
  clear.push(() => connections.close());

  vi.advanceTimersByTime(60_000);

  expect(look).toHaveBeenCalledTimes(12);
});

/** A server whose clock is moved by the test. With `answers: false`, the test sends each answer itself. */
class TestServer {
  readonly sockets: Socket[] = [];
  /** The requests that have begun, in order, when the test answers them. */
  readonly asked: { request: IncomingMessage; answer: (body: string) => void }[] = [];
  /** How many requests have begun. */
  begun = 0;
  readonly groups = new AnswerGroups();
  readonly connections: Connections;
  readonly #server: Server;
  #now = 0;

  private constructor(max: number, answers: boolean) {
    this.connections = new Connections(bounds, max, this.groups, () => this.#now);
    this.#server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
      const connection = this.connections.of(request.socket);
      if (!(await connection.begin(response))) return;
      this.#begin(request, response, answers);
    });
    this.#server.on('connection', (socket: Socket) => this.sockets.push(socket));
    this.#server.headersTimeout = 0;
    this.#server.requestTimeout = 0;
    this.connections.watch(this.#server);
  }

  static async start({ max = 100, answers = true } = {}): Promise<TestServer> {
    const server = new TestServer(max, answers);
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    clear.push(() => {
      server.connections.close();
      server.#server.close();
    });
    return server;
  }

  /** Opens a connection, sends this text, and waits until the server has read it. */
  async client(text = ''): Promise<TestClient> {
    const { port } = this.#server.address() as AddressInfo;
    const at = this.sockets.length;
    const client = new TestClient(connect(port, '127.0.0.1'));
    clear.push(() => client.socket.destroy());
    await until(() => this.sockets.length > at);
    await this.send(client, at, text);
    return client;
  }

  /** Sends text on the connection with this index, and waits until the server has read it. */
  async send({ socket }: TestClient, at: number, text: string): Promise<void> {
    const { bytesRead = 0 } = this.sockets[at] ?? {};
    socket.write(text);
    await until(() => this.sockets[at]?.destroyed || (this.sockets[at]?.bytesRead ?? 0) >= bytesRead + text.length);
  }

  /** Moves the clock, and checks the connections every five seconds as a real server does. */
  pass(milliseconds: number): void {
    for (const end = this.#now + milliseconds; this.#now < end; ) {
      this.#now += 5000;
      this.connections.look();
    }
  }

  isOpen(at: number): boolean {
    const socket = this.sockets[at];
    return socket !== undefined && !socket.destroyed && !socket.writableEnded;
  }

  #begin(request: IncomingMessage, response: ServerResponse, answers: boolean): void {
    this.begun++;
    const answer = (body: string) => {
      response.end(body);
      this.connections.of(request.socket).end(response);
    };
    if (answers) request.resume().once('end', () => answer('ok'));
    else this.asked.push({ request, answer });
  }
}

class TestClient {
  readonly socket: Socket;
  text = '';
  #isReading = false;

  constructor(socket: Socket) {
    this.socket = socket.on('error', () => {}).setEncoding('latin1');
  }

  /** Starts to read, and waits until the text contains this many answers. */
  async answers(count: number): Promise<void> {
    if (!this.#isReading) this.socket.on('data', (text: string) => (this.text += text));
    this.#isReading = true;
    await until(() => this.text.split('HTTP/1.1 ').length > count);
  }
}

async function until(isSo: () => boolean | undefined): Promise<void> {
  while (!isSo()) await setImmediate();
}

describe('A connection is closed', () => {
  it.each([
    ['the headers of its first request', ''],
    ['the headers of a further request', head],
  ])('when %s do not end in time, even if more of them arrive', async (_what, before) => {
    const server = await TestServer.start();
    const client = await server.client(before);
    if (before) await client.answers(1);
    server.pass(5000);
    await server.send(client, 0, 'GET / HTTP/1.1\r\n');
    server.pass(5000);
    for (let second = 0; second < 25; second += 5) {
      await server.send(client, 0, 'a: b\r\n');
      server.pass(5000);
    }
    expect(server.isOpen(0)).toBe(true);

    server.pass(5000);

    expect(server.isOpen(0)).toBe(false);
    await client.answers(before ? 2 : 1);
    expect(client.text).toContain('HTTP/1.1 408 Request Timeout\r\n');
  });

  it('when the rest of a body does not arrive, and not while it arrives', async () => {
    const server = await TestServer.start();
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n';
    const [stalled] = [await server.client(post), await server.client(post)];
    const steady = await server.client(post);

    for (let second = 0; second < 65; second += 5) {
      server.pass(5000);
      await server.send(steady, 2, 'a');
    }

    expect([0, 1, 2].map((at) => server.isOpen(at))).toEqual([false, false, true]);
    await stalled.answers(1);
    expect(stalled.text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it.each([
    ['before its first request', ''],
    ['after a request', head],
  ])('without an answer when it is idle %s', async (_what, text) => {
    const server = await TestServer.start();
    const client = await server.client(text);
    if (text) await client.answers(1);
    server.pass(115_000);
    expect(server.isOpen(0)).toBe(true);

    server.pass(10_000);

    expect(server.isOpen(0)).toBe(false);
    expect(client.text).not.toContain('408');
  });

  it('when its answer is not read', async () => {
    const server = await TestServer.start({ answers: false });
    const client = await server.client(head);
    client.socket.pause();
    await until(() => server.asked.length === 1);
    server.asked[0]?.answer('x'.repeat(20_000_000));

    server.pass(130_000);

    expect(server.isOpen(0)).toBe(false);
  });

  it('shortly after the server has ended its side, if the client does not end its own', async () => {
    const server = await TestServer.start();
    const client = await server.client('GET / HTTP/1.1\r\n');
    client.socket.pause();
    server.pass(40_000);
    expect(server.sockets[0]?.writableEnded).toBe(true);

    server.pass(10_000);

    expect(server.sockets[0]?.destroyed).toBe(true);
  });
});

describe('A connection stays open', () => {
  it('while its request is being answered', async () => {
    const server = await TestServer.start({ answers: false });
    const client = await server.client(head);
    await until(() => server.asked.length === 1);

    server.pass(1_000_000);

    server.asked[0]?.answer('late');
    await client.answers(1);
    expect(client.text).toContain('late');
  });

  it('while requests arrive on it', async () => {
    const server = await TestServer.start();
    const client = await server.client();
    for (let request = 1; request <= 20; request++) {
      await server.send(client, 0, head);
      await client.answers(request);
      server.pass(60_000);
    }

    expect(server.isOpen(0)).toBe(true);
  });
});

describe('A server that has reached its maximum of connections', () => {
  it('closes the connection that has waited longest, and none with a request in progress', async () => {
    const server = await TestServer.start({ max: 3, answers: false });
    await server.client(head);
    await until(() => server.asked.length === 1);
    server.pass(5000);
    await server.client();
    server.pass(5000);
    await server.client('GET / HTTP/1.1\r\n');
    server.pass(5000);

    await server.client(head);

    expect([0, 1, 2, 3].map((at) => server.isOpen(at))).toEqual([true, false, true, true]);
    await until(() => server.asked.length === 2);
  });

  it('closes a new connection while all others have a request in progress', async () => {
    const server = await TestServer.start({ max: 2, answers: false });
    await server.client(head);
    await server.client(head);
    await until(() => server.asked.length === 2);

    await server.client();

    expect([0, 1, 2].map((at) => server.isOpen(at))).toEqual([true, true, false]);
  });

  it.each([
    [256, 128],
    [1024, 512],
    [1_048_576, 1_047_376],
  ])('with %i file handles accepts at most %i connections', (handles, max) => {
    expect(
      connectionsMax(`Limit\nMax open files            ${handles}                 1048576              files\n`),
    ).toBe(max);
  });

  it('has no maximum if the system does not limit file handles', () => {
    expect(connectionsMax('')).toBe(Number.POSITIVE_INFINITY);
    expect(connectionsMax('Max open files            unlimited            unlimited            files')).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('Pipelined requests on one connection', () => {
  it('begin sixteen at a time and are all answered in order', async () => {
    const server = await TestServer.start({ answers: false });
    const client = await server.client(head.repeat(60));
    await until(() => server.asked.length === 16);
    await setImmediate();
    expect(server.asked).toHaveLength(16);

    for (let at = 0; at < 60; at++) {
      await until(() => server.asked.length > at);
      server.asked[at]?.answer(`<${at}>`);
    }

    await client.answers(60);
    const bodies = [...client.text.matchAll(/<(\d+)>/g)].map(([, at]) => Number(at));
    expect(bodies).toEqual(Array.from({ length: 60 }, (_, at) => at));
  });

  it('begin sixteen at a time in a turn of the event loop, even if each is answered at once', async () => {
    const server = await TestServer.start();
    const client = await server.client();
    client.socket.write(head.repeat(300));

    for (let before = 0; before < 300; ) {
      await setImmediate();
      // Some when they arrive, and some when it is their turn.
      expect(server.begun - before).toBeLessThanOrEqual(2 * 16);
      before = server.begun;
    }
    await client.answers(300);
  });

  it('are all answered before a stop that begins amid them', async () => {
    // A stop waits for a limited time.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    clear.push(() => vi.useRealTimers());
    const server = await TestServer.start();
    const client = await server.client();
    client.socket.write(head.repeat(300));
    await until(() => server.begun > 0);

    await server.connections.settled();

    expect(server.begun).toBe(300);
  });

  it('begin only after the client has read the answers before them', async () => {
    const server = await TestServer.start({ answers: false });
    const client = await server.client(head.repeat(60));
    client.socket.pause();
    await until(() => server.asked.length === 16);

    for (let at = 0; at < 16; at++) server.asked[at]?.answer('x'.repeat(3_000_000));
    await setImmediate();
    expect(server.asked.length).toBeLessThanOrEqual(17);

    client.socket.resume();
    for (let at = 16; at < 60; at++) {
      await until(() => server.asked.length > at);
      server.asked[at]?.answer('x');
    }
  });

  it('are not read from the connection while many are waiting', async () => {
    const server = await TestServer.start({ answers: false });
    const client = await server.client(head);
    const send = () => {
      if (client.socket.write(head.repeat(10_000))) send();
    };
    send();
    await until(() => server.sockets[0]?.isPaused());

    const { bytesRead = 0 } = server.sockets[0] ?? {};
    expect(server.asked.length).toBeLessThanOrEqual(16);
    expect(bytesRead).toBeLessThan(200_000);
  });

  it('do not delay a stop when their client disconnects', async () => {
    const server = await TestServer.start({ answers: false });
    const client = await server.client(head.repeat(60));
    await until(() => server.asked.length === 16);

    client.socket.resetAndDestroy();
    server.asked[0]?.answer('x'.repeat(3_000_000));
    await until(() => server.sockets[0]?.destroyed);
    await setImmediate();

    let isSettled = false;
    void server.connections.settled().then(() => {
      isSettled = true;
    });
    await setImmediate();
    expect(isSettled).toBe(true);
  });
});

it('A stop sends the answers that wait for others', async () => {
  const server = await TestServer.start({ answers: false });
  const client = await server.client(head);
  const [socket] = server.sockets;
  // A turn with so many reads lets the next one hold answers back.
  for (let read = 0; read < 20; read++) server.groups.send(new PassThrough() as Duplex as Socket, 'an answer');
  await setImmediate();
  server.groups.send(socket as Socket, 'HTTP/1.1 204 No Content\r\n\r\n');
  expect(socket?.writableLength).toBeGreaterThan(0);
  const closed = once(client.socket, 'close');
  server.connections.close();
  let received = '';
  client.socket.on('data', (text: string) => (received += text));
  await closed;
  expect(received).toBe('HTTP/1.1 204 No Content\r\n\r\n');
});
