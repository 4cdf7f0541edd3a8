import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readServerUrl } from '../../src/client/server-url.js';
import { createAsk } from '../../src/vscode/page/create-ask.js';
import { creditBytes } from '../../src/vscode/page/credit.js';
import { type PageMessage, type RelayMessage, streamsMax, uploadMax } from '../../src/vscode/page/messages.js';
import { Relay } from '../../src/vscode/page/relay.js';

/** A server that keeps what it gets, and answers with what it got, or as the path says. */
let server: Server;
let asked: IncomingMessage[] = [];
let held: (() => void)[] = [];

beforeAll(async () => {
  server = createServer((incoming, response) => {
    asked.push(incoming);
    const path = incoming.url ?? '';
    if (path.includes('/hold')) held.push(() => response.end());
    else if (path.includes('/empty')) response.writeHead(204, { 'x-ms-version': '2019-02-02' }).end();
    else if (path.includes('/large')) {
      const part = Buffer.alloc(64 * 1024);
      const write = (left: number): unknown =>
        left === 0 ? response.end() : response.write(part, () => write(left - 1));
      write(64);
    } else incoming.pipe(response.writeHead(200, { etag: 'W/"1"' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  [asked, held] = [[], []];
});
afterAll(() => server.close());

const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Connects a page with a relay. `sent` has the messages of the relay, which `deliver` may keep back. */
function connect(deliver = (send: () => void) => send(), url = urlOf()) {
  const sent: RelayMessage[] = [];
  const target = { endpoint: readServerUrl(url, 'url'), token: 'secret' };
  const relay = new Relay(
    () => target,
    (message) => {
      sent.push(message);
      deliver(() => page.receive(structuredClone(message)));
    },
  );
  const page = createAsk((message) => relay.receive(structuredClone(message)));
  return { ...page, relay, sent };
}

describe('The relay', () => {
  it('passes a body on and its answer back, byte for byte, whatever its length', async () => {
    const { ask } = connect();
    const lengths = fc.oneof(
      fc.integer({ min: 0, max: 3 * creditBytes }),
      fc.constantFrom(creditBytes - 1, creditBytes, 2 ** 18),
    );
    await fc.assert(
      fc.asyncProperty(lengths, fc.uint8Array({ minLength: 1 }), async (length, pattern) => {
        const body = Buffer.alloc(length, pattern);
        const answer = await ask('/_tabularium/import', { method: 'POST', body: new Blob([body]) });
        expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('sends the method, the headers and the length of the page, and no header of a browser', async () => {
    const { ask } = connect();
    const headers = {
      Accept: 'text/plain',
      'If-Match': '*',
      Host: 'evil.test',
      Origin: 'https://evil.test',
      Cookie: 'a',
    };
    const answer = await ask('/devstoreaccount1/Orders?a=b', { method: 'PUT', headers, body: '{}' });
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([200, 'W/"1"', '{}']);
    const { method, url, headers: got } = asked[0] as IncomingMessage;
    expect([method, url]).toEqual(['PUT', '/devstoreaccount1/Orders?a=b']);
    expect(got).toMatchObject({
      accept: 'text/plain',
      'if-match': '*',
      'content-length': '2',
      host: new URL(urlOf()).host,
    });
    expect(got).not.toHaveProperty('origin');
    expect(got).not.toHaveProperty('cookie');
  });

  it('adds the token to control endpoints alone, in place of one of the page', async () => {
    const { ask } = connect();
    const headers = { Authorization: 'Bearer own' };
    for (const path of ['/_tabularium/empty', '/devstoreaccount1/empty', '/_tabularium/../devstoreaccount1/empty'])
      await ask(path, { headers });
    expect(asked.map((one) => one.headers.authorization)).toEqual(['Bearer secret', 'Bearer own', 'Bearer own']);
  });

  it.each([
    'http://evil.test/_tabularium/info',
    '//evil.test/_tabularium/info',
    '/\\evil.test/',
    '\\\\evil.test/',
    '/',
    '/_other/info',
    '/_tabularium/../_other/info',
    '/devstoreaccount1/../../_other',
    '@evil.test/',
    '',
  ])('rejects the path %j, in words for the user', async (path) => {
    const { ask } = connect();
    await expect(ask(path)).rejects.toThrow(/^The editor sends nothing to /);
    expect(asked).toEqual([]);
  });

  it('rejects an upload of more than 64 MiB, also from a page that breaks the rule', async () => {
    const { ask, relay, sent } = connect();
    await expect(
      ask('/_tabularium/import', { method: 'POST', body: new Blob([new Uint8Array(uploadMax + 1)]) }),
    ).rejects.toThrow(/at most 64 MiB/);
    const message = { id: 7, kind: 'ask', method: 'POST', path: '/_tabularium/import', headers: {} } as const;
    relay.receive({ ...message, length: uploadMax + 1 });
    relay.receive({ ...message, id: 8, length: 2 });
    relay.receive({ id: 8, kind: 'part', bytes: new Uint8Array(3) });
    expect(sent).toMatchObject([
      { id: 7, kind: 'failed' },
      { id: 8, kind: 'failed' },
    ]);
  });

  it('runs at most six requests at once; the next one waits until one ends', async () => {
    const { ask } = connect();
    const answers = Array.from({ length: streamsMax + 1 }, (_, at) => ask(`/_tabularium/hold/${at}`));
    await expect.poll(() => held.length).toBe(streamsMax);
    const waiting = ask('/_tabularium/empty');
    held.shift()?.();
    await answers[0];
    await expect.poll(() => held.length).toBe(streamsMax);
    for (const end of held) end();
    await Promise.all(answers);
    expect((await waiting).status).toBe(204);
  });

  it('sends about 1 MiB more than the page has taken, and the rest when it reads on', async () => {
    const { ask, sent } = connect();
    const answer = await ask('/_tabularium/large');
    const bytes = () => sent.reduce((sum, one) => sum + (one.kind === 'part' ? one.bytes.length : 0), 0);
    await expect.poll(bytes).toBeGreaterThanOrEqual(creditBytes);
    await ask('/_tabularium/empty');
    expect(bytes()).toBeLessThan(2 * creditBytes);
    expect((await answer.arrayBuffer()).byteLength).toBe(4 * creditBytes);
  });

  it('sends about 1 MiB of an upload that nobody takes', async () => {
    const messages: PageMessage[] = [];
    const { ask } = createAsk((message) => messages.push(message));
    void ask('/_tabularium/import', { method: 'POST', body: new Blob([new Uint8Array(4 * creditBytes)]) });
    const parts = () => messages.filter(({ kind }) => kind === 'part');
    await expect.poll(() => parts().length).toBe(4);
    await new Promise(setImmediate);
    expect(parts()).toHaveLength(4);
  });

  it('ends a request that the page leaves', async () => {
    const { ask } = connect();
    const stop = new AbortController();
    const answer = ask('/_tabularium/hold', { signal: stop.signal });
    await expect.poll(() => asked.length).toBe(1);
    stop.abort();
    await expect(answer).rejects.toThrow(/abort/);
    await expect.poll(() => asked[0]?.destroyed).toBe(true);

    const { body } = await ask('/_tabularium/large');
    await body?.cancel();
    await expect.poll(() => asked[1]?.socket.destroyed).toBe(true);
    await expect(ask('/_tabularium/empty', { signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
  });

  it('ends all requests with the page', async () => {
    const { ask, relay } = connect();
    void ask('/_tabularium/hold').catch(() => {});
    await expect.poll(() => asked.length).toBe(1);
    relay.close();
    await expect.poll(() => asked[0]?.destroyed).toBe(true);
  });

  it('begins again with a page that was loaded again, however many requests it had before', async () => {
    const { relay, sent } = connect(() => {});
    const stale = Array.from({ length: streamsMax + 1 }, (_, at) => at + 1);
    const askOf = (id: number, path: string) =>
      ({ id, kind: 'ask', method: 'GET', path, headers: {}, length: undefined }) as const;
    for (const id of stale) relay.receive(askOf(id, `/_tabularium/hold/${id}`));
    await expect.poll(() => asked.length).toBe(streamsMax);
    const [before] = asked;
    relay.receive(askOf(1, '/_tabularium/empty'));
    await expect
      .poll(() => sent)
      .toMatchObject([
        { id: 1, kind: 'head', status: 204 },
        { id: 1, kind: 'end' },
      ]);
    expect(before?.destroyed).toBe(true);
  });

  it('is not broken by a page that sends more after the end of a body, also while the request waits', async () => {
    const { ask, relay } = connect();
    const answers = Array.from({ length: streamsMax }, () => ask('/_tabularium/hold'));
    await expect.poll(() => held.length).toBe(streamsMax);
    relay.receive({ id: 99, kind: 'ask', method: 'PUT', path: '/_tabularium/empty', headers: {}, length: 2 });
    relay.receive({ id: 99, kind: 'end' });
    relay.receive({ id: 99, kind: 'part', bytes: new Uint8Array(1) });
    for (const end of held) end();
    await Promise.all(answers);
    expect((await ask('/_tabularium/empty')).status).toBe(204);
  });

  it('fails as a network does if there is no server', async () => {
    const { ask } = connect(undefined, 'http://127.0.0.1:1');
    await expect(ask('/_tabularium/info')).rejects.toThrow(TypeError);
    await expect(ask('/_tabularium/import', { method: 'POST', body: 'x' })).rejects.toThrow(TypeError);
  });
});
