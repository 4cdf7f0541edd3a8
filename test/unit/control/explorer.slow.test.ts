import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTabularium } from '../../../src/index.js';
import type { Tabularium } from '../../../src/library/tabularium.js';
import { RawConnection } from '../../support/clients/raw-connection.js';
import type { RunningService } from '../../support/servers/start-service.js';

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
interface AnsweredSession {
  readonly right: string;
  readonly expires: string;
  readonly keys?: string;
  readonly accounts: readonly { readonly sas: string }[];
}

const change = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };

describe('The page for browsers', () => {
  let tabularium: Tabularium;
  let page = '';
  beforeAll(async () => {
    tabularium = await startTabularium({ adminToken: 'all', adminReadToken: 'some' });
    page = await (await fetch(`${tabularium.url}/_tabularium/`, { headers: html })).text();
  });
  afterAll(() => tabularium?.close());
  const scriptOf = () => /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';

  it('is served to a client that asks for HTML; others get the list of paths', async () => {
    const asked = await fetch(`${tabularium.url}/_tabularium`, { headers: html });
    const other = await fetch(`${tabularium.url}/_tabularium/`);

    expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await other.json()).toMatchObject({ error: 'There is nothing at /_tabularium.', paths: expect.any(Object) });
  });

  it('may load and ask this server only, and be in no frame', async () => {
    const { headers } = await fetch(`${tabularium.url}/_tabularium/`, { headers: html });

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'none'; connect-src 'self'; " +
        "form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=0.5, br;q=0', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
  ])('has files that never change, encoded for %s', async (accepted, encoding, decode) => {
    const connection = await RawConnection.open({ url: tabularium.url } as RunningService);
    await connection.write(`GET ${scriptOf()} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${accepted}\r\n\r\n`);
    const answer = await connection.answer();
    connection.destroy();
    expect(answer?.status).toBe(200);
    expect(answer?.headers['content-encoding']).toBe(encoding);
    expect(answer?.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(decode(Buffer.from(answer?.body ?? '', 'latin1')).toString()).toContain('Skip to the content');
  });

  it('is not sent again to a client that has it', async () => {
    const url = `${tabularium.url}${scriptOf()}`;
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  it.each(['../package.json', '..%2fpackage.json', '%2e%2e/manifest.json', 'manifest.json', 'main.js', 'constructor'])(
    'has no file %s',
    async (name) => {
      expect((await fetch(`${tabularium.url}/_tabularium/explorer/${name}`)).status).toBe(404);
    },
  );

  it('gets the accounts of its own port alone, of which one may speak as Cosmos DB', async () => {
    await using both = await startTabularium({ cosmos: true });
    const accountsAt = async (root: string | undefined) => {
      const answer = await fetch(`${root}/_tabularium/session`, change);
      const { accounts } = (await answer.json()) as {
        readonly accounts: readonly { readonly name: string; readonly dialect?: string }[];
      };
      return accounts.map(({ name, dialect }) => [name, dialect]);
    };

    // The service decides how the page writes connection strings.
    expect(await accountsAt(both.url)).toEqual([['devstoreaccount1', undefined]]);
    expect(await accountsAt(both.cosmosUrl)).toEqual([['localhost', 'cosmos']]);
  });

  it('is absent if the settings want none', async () => {
    await using without = await startTabularium({ explorer: false });
    const answers = [
      await fetch(`${without.url}/_tabularium/`, { headers: html }),
      await fetch(`${without.url}/_tabularium/session`, change),
      await fetch(`${without.url}/_tabularium/info`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 200]);
  });
});

describe('A session of the page', () => {
  const start = () => startTabularium({ admin: 'token', adminToken: 'all', adminReadToken: 'some' });
  const ask = async (url: string, token: string) => {
    const answer = await fetch(`${url}/_tabularium/session`, {
      ...change,
      headers: { ...change.headers, Authorization: `Bearer ${token}` },
    });
    return { status: answer.status, session: (await answer.json()) as AnsweredSession };
  };
  const tablesOf = (url: string, sas: string, init?: RequestInit) =>
    fetch(`${url}/devstoreaccount1/Tables?${sas}`, {
      ...init,
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    });
  const insert = { method: 'POST', body: '{"TableName":"Made"}' };

  it('gives the holder of the token signatures that may do everything, for an hour, and no key', async () => {
    await using tabularium = await start();
    const { status, session } = await ask(tabularium.url, 'all');
    const sas = session.accounts[0]?.sas ?? '';

    expect([status, session.right, session.accounts.length]).toEqual([200, 'all', 1]);
    expect(Date.parse(session.expires) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect((await tablesOf(tabularium.url, sas, insert)).status).toBe(201);
    expect(JSON.stringify(session)).not.toContain('Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq');
  });

  it('gives the holder of the other token signatures that only read', async () => {
    await using tabularium = await start();
    const { status, session } = await ask(tabularium.url, 'some');
    const sas = session.accounts[0]?.sas ?? '';

    expect([status, session.right]).toEqual([200, 'read']);
    expect((await tablesOf(tabularium.url, sas)).status).toBe(200);
    expect((await tablesOf(tabularium.url, sas, insert)).status).toBe(403);
  });

  it.each([
    [undefined, undefined],
    [{ identities: { app: {} } }, 'accepted'],
    [{ identities: { app: {} }, keys: 'rejected' }, 'rejected'],
  ])('tells with the identities %j that keys are %s, but for Cosmos DB', async (identities, keys) => {
    await using tabularium = await startTabularium({ https: true, cosmos: true, ...(identities && { identities }) });
    const ask = async (url = '') => {
      const outgoing = request(`${url}/_tabularium/session`, { ...change, ca: tabularium.certificate });
      outgoing.end(change.body);
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      return ((await json(answer)) as AnsweredSession).keys;
    };

    expect([await ask(tabularium.url), await ask(tabularium.cosmosUrl)]).toEqual([keys, undefined]);
  });

  it('is rejected without a token', async () => {
    await using tabularium = await start();
    expect((await ask(tabularium.url, 'wrong')).status).toBe(401);
  });

  it('names branches with what they began as', async () => {
    await using tabularium = await startTabularium();
    const branch = await tabularium.branches.create();
    const { session } = await ask(tabularium.url, 'none');
    expect(session.accounts).toContainEqual({
      name: branch.account,
      sas: expect.any(String),
      dialect: 'storage',
      branch: expect.objectContaining({ account: branch.account, from: { account: 'devstoreaccount1' } }),
    });
  });

  it('does not show its requests in the journal, nor to the coach', async () => {
    await using tabularium = await startTabularium();
    const { session } = await ask(tabularium.url, 'none');
    const url = `${tabularium.url}/devstoreaccount1/Absent()?$filter=A%20eq%201&${session.accounts[0]?.sas}`;
    const asOther = { headers: { Accept: 'application/json' } };
    await fetch(url, { headers: { ...asOther.headers, 'x-tabularium-client': 'explorer' } });
    expect(await tabularium.requests.list()).toEqual([]);
    expect((await tabularium.coach.show()).findings).toEqual([]);

    await fetch(url, asOther);
    expect(await tabularium.requests.list()).toHaveLength(1);
    const all = await (await fetch(`${tabularium.url}/_tabularium/requests?explorer`)).json();
    expect(all).toMatchObject({ requests: [{ Explorer: true }, { StatusCode: '404' }] });
  });
});
