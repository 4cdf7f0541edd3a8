import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/client/calls.js';
import { readServerUrl } from '../../src/client/server-url.js';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { addressOf, needsAttention, RejectedRequests } from '../../src/vscode/server/rejected-requests.js';
import { callsOf } from '../../src/vscode/server/server-calls.js';

describe('A person looks at a rejected request', () => {
  it.each([
    ['GET', '501', 'NotImplemented', true],
    ['GET', '404', 'TableNotFound', true],
    ['GET', '404', 'ResourceNotFound', false],
    ['DELETE', '404', 'ResourceNotFound', false],
    ['PUT', '404', 'ResourceNotFound', true],
    ['POST', '409', 'TableAlreadyExists', false],
    ['POST', '409', 'EntityAlreadyExists', false],
    ['POST', '409', 'TableBeingDeleted', true],
    ['PUT', '412', 'UpdateConditionNotSatisfied', false],
    ['POST', '403', 'AuthenticationFailed', true],
  ])('%s with %s %s: %s', (Method, StatusCode, StatusText, expected) => {
    expect(needsAttention({ Method, StatusCode, StatusText } as LogEntry)).toBe(expected);
  });
});

describe('The rejected requests of a server', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium();
  });
  afterAll(() => server.close());

  /** Sends requests without a signature, which the service rejects, and follows until there are `count`. */
  async function followed(rejected: RejectedRequests, count: number) {
    const stop = new AbortController();
    const ended = rejected.follow(
      callsOf({ endpoint: readServerUrl(server.url, 'url'), token: undefined }, stop.signal),
    );
    await expect.poll(() => rejected.list.length).toBe(count);
    stop.abort();
    await expect(ended).rejects.toThrow();
    return rejected.list.map(({ Uri }) => new URL(Uri).pathname.split('/')[2]);
  }
  const reject = (table: string) =>
    fetch(`${server.url}/devstoreaccount1/${table}`, { headers: { Connection: 'close' } });

  it('are those that it still has and then each new one; those cleared do not come back', async () => {
    await reject('First');
    await reject('Second');
    const added: string[] = [];
    const rejected = new RejectedRequests((one) => one && added.push(one.StatusText));
    expect(await followed(rejected, 2)).toEqual(['First', 'Second']);
    expect(added).toHaveLength(2);
    rejected.clear();
    await reject('Third');
    expect(await followed(rejected, 1)).toEqual(['Third']);
    rejected.begin();
    expect(await followed(rejected, 3)).toEqual(['First', 'Second', 'Third']);
  });

  it('are told once, also if their stream breaks and is opened again', async () => {
    await server.close();
    server = await startTabularium();
    await reject('First');
    const told: string[] = [];
    const rejected = new RejectedRequests((one) => one && told.push(addressOf(one)));
    await followed(rejected, 1);
    await reject('Second');
    expect(await followed(rejected, 2)).toEqual(['First', 'Second']);
    expect(told).toEqual(['/devstoreaccount1/First', '/devstoreaccount1/Second']);
  });

  it('are those of the new server if another one listens at the address, also after some were cleared', async () => {
    const { port } = new URL(server.url);
    const rejected = new RejectedRequests(() => {});
    await followed(rejected, 2);
    rejected.clear();
    await server.close();
    server = await startTabularium({ port: Number(port) });
    await reject('Third');
    expect(await followed(rejected, 1)).toEqual(['Third']);
  });

  it('have an address, whatever a program sends as one', async () => {
    const { port } = new URL(server.url);
    for (const host of ['[', 'a:b:c']) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(`GET /devstoreaccount1/Odd?a=b HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      await once(socket.resume(), 'close');
    }
    const rejected = new RejectedRequests((one) => one && addressOf(one));
    await followed(rejected, 3).catch(() => {});
    expect(rejected.list.map(addressOf)).toEqual([
      '/devstoreaccount1/Third',
      '/devstoreaccount1/Odd?a=b',
      '/devstoreaccount1/Odd?a=b',
    ]);
  });
});
