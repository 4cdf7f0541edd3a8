import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';

describe('A server on a published port', () => {
  let instance: Tabularium;
  beforeEach(async () => {
    instance = await startTabularium({ cosmos: true });
  });
  afterEach(() => instance.close());

  /** Asks one of the listeners as a client does that reaches it at `host`, which the container engine maps to its port. */
  const ask = async (url: string | undefined, host: string, path: string, body: object) => {
    const headers = { Host: host, 'Content-Type': 'application/json' };
    const outgoing = request(new URL(`/_tabularium${path}`, url?.replace('localhost', '127.0.0.1')), {
      method: 'POST',
      headers,
    });
    outgoing.end(JSON.stringify(body));
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return JSON.parse(await text(answer));
  };
  const endpointIn = ({ connectionString }: { readonly connectionString: string }) =>
    /TableEndpoint=([^;]+);/.exec(connectionString)?.[1];

  it.each([['127.0.0.1:20002'], ['127.0.0.1'], ['[::1]:20002']])(
    'gives a branch the address by which the client reaches it: %s',
    async (host) => {
      const branch = await ask(instance.url, host, '/branches', {});

      expect(endpointIn(branch)).toBe(`http://${host}/${branch.account}`);
    },
  );

  it('gives a branch of the other service the port of its own listener, however that is published', async () => {
    const branch = await ask(instance.url, '127.0.0.1:20002', '/branches', { from: 'localhost' });
    expect(endpointIn(branch)).toBe(`${instance.cosmosUrl}/${branch.account}`);
  });

  it('gives a branch of Cosmos DB the address of its listener if that was asked', async () => {
    const branch = await ask(instance.cosmosUrl, '127.0.0.1:20003', '/branches', { from: 'localhost' });
    expect(endpointIn(branch)).toBe(`http://localhost:20003/${branch.account}`);
  });

  it('gives the page the accounts of the listener that it is on', async () => {
    const names = async (url: string | undefined) =>
      ((await ask(url, '127.0.0.1:20002', '/session', {})).accounts as { name: string }[]).map(({ name }) => name);
    expect(await names(instance.url)).toEqual(['devstoreaccount1']);
    expect(await names(instance.cosmosUrl)).toEqual(['localhost']);
  });
});
