import { afterAll, beforeAll, expect, it } from 'vitest';
import { readServerUrl } from '../../src/client/server-url.js';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { followServer } from '../../src/vscode/server/follow-server.js';
import { callsOf } from '../../src/vscode/server/server-calls.js';

let server: Tabularium;
beforeAll(async () => {
  server = await startTabularium();
});
afterAll(() => server.close());

const callsUntil = (signal: AbortSignal) =>
  callsOf({ endpoint: readServerUrl(server.url, 'url'), token: undefined }, signal);

it('A stream that ends is opened again, until the signal', async () => {
  const stop = new AbortController();
  let opened = 0;
  const read = async () => {
    if (++opened === 3) stop.abort();
    if (opened === 2) throw new Error('A stream that breaks.');
  };
  await followServer(callsUntil(stop.signal), [read], stop.signal, 1);
  expect(opened).toBe(3);
});

it('Following ends with a server that is gone, however many streams it had', async () => {
  const { signal } = new AbortController();
  const calls = callsUntil(signal);
  const seen: string[] = [];
  const following = followServer(
    calls,
    [
      async (one) => {
        for await (const line of await one.live()) if ('event' in line) seen.push(line.event.kind);
      },
      async (one) => {
        for await (const _ of await one.requests.follow({ status: 'rejected' }));
      },
    ],
    signal,
    1,
  );
  await expect
    .poll(async () => {
      await server.snapshots.create('base');
      return seen.length;
    })
    .toBeGreaterThan(0);
  await server.close();
  await following;
  expect(seen[0]).toBe('snapshot-created');
  server = await startTabularium();
});
