import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/programs/place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
  const identities = {
    app: { roles: ['Storage Table Data Contributor'] },
    reader: { roles: ['Storage Table Data Reader'] },
    delegator: { roles: ['Storage Table Delegator'] },
  };
  await writeFile(join(place.folder, 'identities.json'), JSON.stringify({ identities }));
});
afterEach(() => place.clear());

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends a request to a server whose certificate is its own. Returns status and body. */
const send = (url: string, { method = 'GET', headers = {}, body }: Asked = {}) =>
  new Promise<readonly [status: number | undefined, text: string]>((resolve, reject) => {
    const outgoing = request(url, { method, headers, rejectUnauthorized: false }, async (answer) =>
      resolve([answer.statusCode, await text(answer)]),
    );
    outgoing.on('error', reject).end(body);
  });

/** Starts a server with identities that writes all that it can. Returns its address and the program. */
async function startServer() {
  const program = place.start('tabularium', [
    ...['--https', '--tablePort', '0', '--inMemoryPersistence', '--identity', 'identities.json'],
    ...['--debug', 'debug.log', '--journalBodies'],
  ]);
  await program.until(/https:\/\/127\.0\.0\.1:\d+/);
  const [root = ''] = /https:\/\/127\.0\.0\.1:\d+/.exec(program.output()) ?? [];
  return { program, root, tables: `${root}/devstoreaccount1` };
}

const version = { 'x-ms-version': '2025-07-05', Accept: 'application/json' };
const json = { ...version, 'Content-Type': 'application/json' };

it('Tokens and secrets are in no log, debug log, journal, archive, metrics and explanation', async () => {
  const { program, root, tables } = await startServer();
  const control = `${root}/_tabularium`;
  const secrets: string[] = [];
  const tokens: string[] = [];
  for (const name of ['app', 'reader', 'delegator']) {
    const [, environment] = await send(`${control}/identities/${name}/environment`, {
      method: 'POST',
      headers: json,
      body: '{}',
    });
    const { set } = JSON.parse(environment) as {
      readonly set: readonly { readonly name: string; readonly value: string }[];
    };
    const secret = set.find((one) => one.name === 'IDENTITY_HEADER')?.value ?? '';
    const [, issued] = await send(
      `${control}/identity/token?api-version=2019-08-01&resource=https://storage.azure.com`,
      {
        headers: { 'X-IDENTITY-HEADER': secret },
      },
    );
    secrets.push(secret);
    tokens.push(JSON.parse(issued).access_token);
  }
  const [app = '', reader = '', delegator = ''] = tokens;
  const as = (token: string) => ({ ...json, Authorization: `Bearer ${token}` });
  const entity = '{"PartitionKey":"p","RowKey":"r"}';
  const xml = { ...as(delegator), Accept: 'application/xml', 'Content-Type': 'application/xml' };
  const keyInfo = `<KeyInfo><Expiry>${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z</Expiry></KeyInfo>`;
  const statuses = [
    await send(`${tables}/Tables`, { method: 'POST', headers: as(app), body: '{"TableName":"people"}' }),
    await send(`${tables}/people`, { method: 'POST', headers: as(app), body: entity }),
    await send(`${tables}/people()`, { headers: as(reader) }),
    await send(`${tables}/people`, { method: 'POST', headers: as(reader), body: entity }),
    await send(`${tables}/people()`, { headers: as(`${app.slice(0, -6)}AAAAAA`) }),
    await send(`${tables}/people()`, { headers: { Authorization: `Bearer ${app}x`, 'x-ms-version': '2019-02-02' } }),
    await send(`${tables}/people()?access_token=${app}`, { headers: as(reader) }),
    await send(`${tables}/?restype=service&comp=userdelegationkey`, { method: 'POST', headers: xml, body: keyInfo }),
    await send(`${control}/identity/token?resource=x`, { headers: { 'X-IDENTITY-HEADER': `${secrets[0]}x` } }),
    await send(`${control}/identity/token`, { headers: { 'X-IDENTITY-HEADER': secrets[0] ?? '' } }),
  ].map(([status]) => status);
  expect(statuses).toEqual([201, 201, 200, 403, 401, 403, 200, 200, 401, 400]);

  const told = await Promise.all(
    ['/requests?limit=500', '/metrics', '/why', '/coach', '/identities'].map(async (path) => {
      const [status, content] = await send(`${control}${path}`);
      expect([path, status]).toEqual([path, 200]);
      return content;
    }),
  );
  program.kill('SIGTERM');
  const { output, errors } = await program.ended;
  const everything = [output, errors, await readFile(join(place.folder, 'debug.log'), 'utf8'), ...told].join('\n');

  expect(everything).toContain('AuthorizationPermissionMismatch');
  const hidden = [...secrets, ...tokens.flatMap((token) => token.split('.').slice(1))];
  expect(hidden.filter((one) => everything.includes(one))).toEqual([]);
});

it('A token of a command is accepted until it expires', async () => {
  const { root, tables } = await startServer();
  const print = async (...more: readonly string[]) =>
    (await place.start('tabularium', ['identity', 'token', 'reader', '--url', root, ...more]).ended).output.trim();
  const ask = async (token: string) => {
    const [status] = await send(`${tables}/Tables`, { headers: { ...version, Authorization: `Bearer ${token}` } });
    return status;
  };
  const [lasting, short] = [await print(), await print('--expires', '1s')];

  expect(await ask(lasting)).toBe(200);
  await expect.poll(() => ask(short), { timeout: 10_000 }).toBe(401);
  expect(await ask(lasting)).toBe(200);
});
