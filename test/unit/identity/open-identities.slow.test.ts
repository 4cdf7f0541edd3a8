import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControlRequest } from '../../../src/control/control-row.js';
import { identityRows } from '../../../src/control/rows/identity.js';
import { openIdentities } from '../../../src/identity/open-identities.js';
import { makeFolder } from '../../support/programs/make-folder.js';

const tenant = '11111111-1111-1111-1111-111111111111';
const reader = { identities: { app: { roles: ['Storage Table Data Reader'] } } };
const read = {
  plane: 'dataActions',
  anyOf: [['Microsoft.Storage/storageAccounts/tableServices/tables/entities/read']],
} as const;

/** The keys of a server and of an issuer, for tests that are not about keys: making one takes longer than such a test. */
const serverKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const issuerKeys = await generateKeyPair('RS256');

let folder = '';
let file = '';
const opened: { close(): void }[] = [];
beforeEach(async () => {
  folder = await makeFolder();
  file = join(folder, 'identities.json');
  await writeFile(join(folder, 'server.pem'), serverKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
});
afterEach(async () => {
  for (const one of opened.splice(0)) one.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens the file. Collects what is reported of its changes. */
async function open(config: object = { keyFile: join(folder, 'server.pem') }) {
  const events: string[] = [];
  const listener = {
    changed: (_path: string, names: readonly string[]) => events.push(`changed: ${names}`),
    failed: (error: unknown) => events.push(`failed: ${error instanceof Error ? error.message : error}`),
  };
  const settings = { source: file, keyFile: undefined, keyFolder: undefined, secrets: undefined, ...config };
  const one = await openIdentities(settings, listener, 2);
  opened.push(one);
  return { ...one, events };
}

/** Makes the key of an issuer, whose address names a tenant if it has one. Its public key is in the file keys.json. */
async function trustedIssuer(tenant: string | undefined) {
  const issuer = tenant === undefined ? 'https://issuer/' : `https://sts.windows.net/${tenant}/`;
  const { privateKey, publicKey } = issuerKeys;
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] };
  await writeFile(join(folder, 'keys.json'), JSON.stringify(keys));
  const sign = (claims: object) =>
    new SignJWT({ aud: 'x', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuer(issuer)
      .setNotBefore('1 minute ago')
      .setExpirationTime('1 hour')
      .sign(privateKey);
  return { issuer, sign };
}

/** Replaces the file at once: one that is being written is read as broken. */
const write = async (definition: object) => {
  await writeFile(`${file}.new`, JSON.stringify(definition));
  await rename(`${file}.new`, file);
};

describe('A file of identities that changes', () => {
  it('decides the next request, also of a token that was verified before', async () => {
    await write(reader);
    const { identities, events } = await open();
    const { token } = await identities.issue(identities.choose('app'), 'x');
    const allows = async () => (await identities.verify(token, Date.now())).principal.allows(read, 'a', 't');
    expect(await allows()).toBe(true);

    await write({ identities: { app: {} } });
    await expect.poll(() => events).toEqual(['changed: app']);

    expect(await allows()).toBe(false);
  });

  it('stays as it was while it is broken, and says so once', async () => {
    await write(reader);
    const { identities, events } = await open();
    const { token } = await identities.issue(identities.choose('app'), 'x');

    await write({ identities: { app: { roles: ['Ownr'] } } });
    await expect.poll(() => events.length).toBe(1);
    expect(events[0]).toContain("identities.app.roles[0]: there is no role 'Ownr'. Did you mean 'Owner'?");
    expect((await identities.verify(token, Date.now())).principal.allows(read, 'a', 't')).toBe(true);

    await write({ identities: { app: {}, other: {} } });
    await expect.poll(() => events.length).toBe(2);
    expect(events[1]).toBe('changed: app,other');
  });

  it('takes away the tokens of an issuer that it no longer trusts', async () => {
    const { issuer, sign } = await trustedIssuer(tenant);
    await write({ ...reader, tenant, trusted: [{ issuer, jwks: 'keys.json' }] });
    const { identities, events } = await open();
    const { objectId } = identities.choose('app');
    const token = await sign({ oid: objectId, tid: tenant });
    const allows = async () => (await identities.verify(token, Date.now())).principal.allows(read, 'a', 't');
    expect(await allows()).toBe(true);

    await write({ ...reader, tenant });
    await expect.poll(() => events.length).toBe(1);
    await expect(allows()).rejects.toThrow('Signature validation failed. The key of the token is not known.');
  });

  it('is read again when the keys of a trusted issuer change', async () => {
    const issuer = 'https://issuer/';
    const sign = async (pair: Awaited<ReturnType<typeof generateKeyPair>>) => {
      const key = { ...(await exportJWK(pair.publicKey)), kid: 'k' };
      await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: [{ kty: 'oct', k: 'x', kid: 'o' }, key] }));
      const claims = new SignJWT({ oid: 'o', tid: 't', aud: 'x' }).setProtectedHeader({ alg: 'RS256', kid: 'k' });
      return claims.setIssuer(issuer).setNotBefore('1 minute ago').setExpirationTime('1 hour').sign(pair.privateKey);
    };
    const before = await sign(await generateKeyPair('RS256'));
    await write({ ...reader, trusted: [{ issuer, jwks: 'keys.json' }] });
    const { identities, events } = await open();
    expect((await identities.verify(before, Date.now())).principal.name).toBeUndefined();

    const after = await sign(await generateKeyPair('RS256'));
    await expect.poll(() => events.length).toBe(1);

    expect((await identities.verify(after, Date.now())).principal.objectId).toBe('o');
    await expect((async () => identities.verify(before, Date.now()))()).rejects.toThrow('Signature validation failed');
  });
});

describe('A trusted issuer', () => {
  const upper = 'ABCDEF00-1111-1111-1111-11111111111A';
  const foreign = '33333333-3333-3333-3333-333333333333';

  it.each([
    ['its tenant, which is that of the file', upper, upper],
    ['its tenant in other letter case', upper.toLowerCase(), upper],
    ['the tenant of the file, whose letter case is another one', upper, upper.toLowerCase()],
  ])('speaks for an identity with %s', async (_what, named, tid) => {
    const { issuer, sign } = await trustedIssuer(named);
    await write({ ...reader, tenant: upper, trusted: [{ issuer, jwks: 'keys.json' }] });
    const { identities } = await open();
    const token = await sign({ oid: identities.choose('app').objectId.toUpperCase(), tid });

    expect((await identities.verify(token, Date.now())).principal).toMatchObject({ name: 'app', tenant: tid });
  });

  it.each([
    ['another tenant', foreign, foreign],
    ['a tenant that its address does not name', undefined, foreign],
  ])('speaks for no identity of the file with %s', async (_what, named, tid) => {
    const { issuer, sign } = await trustedIssuer(named);
    await write({ ...reader, tenant, trusted: [{ issuer, jwks: 'keys.json' }] });
    const { identities } = await open();
    const { objectId } = identities.choose('app');

    const { principal } = await identities.verify(await sign({ oid: objectId, tid }), Date.now());

    expect([principal.name, principal.tenant, principal.allows(read, 'a', 't')]).toEqual([undefined, tid, false]);
    expect(identities.principalOf({ objectId, tenant: tid }).allows(read, 'a', 't')).toBe(false);
    expect(identities.principalOf({ objectId, tenant }).allows(read, 'a', 't')).toBe(true);
  });

  it('cannot speak for the tenant of the file in other letter case, nor for that of another issuer', async () => {
    const { issuer, sign } = await trustedIssuer(undefined);
    await write({ ...reader, tenant: upper, trusted: [{ issuer, jwks: 'keys.json' }] });
    const { identities } = await open();
    const { objectId: oid } = identities.choose('app');

    for (const tid of [upper, upper.toLowerCase()])
      await expect((async () => identities.verify(await sign({ oid, tid }), Date.now()))()).rejects.toThrow(
        'The tenant of the token is not that of its issuer.',
      );
  });
});

describe.skipIf(process.platform === 'win32')('A named pipe in place of a followed file', () => {
  it.each([
    ['of identities', 'identities.json', 'The identities in'],
    ['of keys', 'keys.json', 'The keys of https://issuer/ in'],
  ])('%s is reported once, and the file that replaces it is read', async (_what, name, subject) => {
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(issuerKeys.publicKey)), kid: 'k' }] });
    await writeFile(join(folder, 'keys.json'), keys);
    const definition = { ...reader, trusted: [{ issuer: 'https://issuer/', jwks: 'keys.json' }] };
    await write(definition);
    const { events } = await open();
    const path = join(folder, name);

    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await rename(pipe, path);
    await expect.poll(() => events).toEqual([expect.stringContaining(`${subject} ${path} cannot be read: it is no`)]);

    await rm(path);
    await writeFile(join(folder, 'keys.json'), keys);
    await write({ ...definition, identities: { app: {} } });
    await expect.poll(() => events.at(-1)).toBe('changed: app');
  });
});

describe('The keys of a trusted issuer', () => {
  it.each([
    ['not JSON', '{'],
    ['without keys', '{"keys":5}'],
    ['without an RSA key', '{"keys":[{"kty":"oct","k":"AAAA","kid":"k"}]}'],
    ['with a key that cannot be read', '{"keys":[{"kty":"RSA","kid":"k","n":"AQAB"}]}'],
  ])('are rejected if the document is %s', async (_what, text) => {
    await writeFile(join(folder, 'keys.json'), text);
    await write({ ...reader, trusted: [{ issuer: 'https://issuer/', jwks: 'keys.json' }] });

    await expect(open()).rejects.toThrow(join(folder, 'keys.json'));
  });
});

it('rejects a key of a trusted issuer that is too short to verify a token, by its file and kid', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  await writeFile(
    join(folder, 'keys.json'),
    JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'short' }] }),
  );
  await write({ ...reader, trusted: [{ issuer: 'https://issuer/', jwks: 'keys.json' }] });

  await expect(open()).rejects.toThrow(
    `${join(folder, 'keys.json')}: the key short has 1024 bits. An RSA key needs at least 2048.`,
  );
});

describe('The key of a server', () => {
  it('survives a restart, with tokens and secrets, and only its owner may read it', async () => {
    await write(reader);
    const keyFolder = join(folder, 'tabularium-identity');
    const { identities } = await open({ keyFolder });
    const { token } = await identities.issue(identities.choose('app'), 'x');
    await chmod(join(keyFolder, 'key.pem'), 0o644);

    const again = (await open({ keyFolder })).identities;

    expect((await again.verify(token, Date.now())).principal.name).toBe('app');
    expect(again.secrets.secretOf('app')).toBe(identities.secrets.secretOf('app'));
    if (process.platform !== 'win32') expect((await stat(join(keyFolder, 'key.pem'))).mode & 0o777).toBe(0o600);
  });

  it('is another one at each start without a folder', async () => {
    await write(reader);
    const { identities } = await open({});
    const { token } = await identities.issue(identities.choose('app'), 'x');
    const again = (await open({})).identities;

    await expect((async () => again.verify(token, Date.now()))()).rejects.toThrow('The key of the token is not known.');
    expect(again.secrets.secretOf('app')).not.toBe(identities.secrets.secretOf('app'));
  });

  it('may be a file that several servers have', async () => {
    await write(reader);
    const keyFolder = join(folder, 'tabularium-identity');
    const { identities } = await open({ keyFolder });
    const keyFile = join(keyFolder, 'key.pem');
    const other = (await open({ keyFile })).identities;

    expect(other.issuer.publicKey).toEqual(identities.issuer.publicKey);
    expect(await readFile(keyFile, 'utf8')).toContain('BEGIN PRIVATE KEY');
  });

  it.each(['', 'no key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'])(
    'is rejected if it is %j',
    async (text) => {
      await write(reader);
      await writeFile(join(folder, 'own.pem'), text);

      await expect(open({ keyFile: join(folder, 'own.pem') })).rejects.toThrow(
        'is not an RSA key of at least 2048 bits',
      );
    },
  );
});

describe('The secret of an identity', () => {
  it('may be chosen', async () => {
    await write({ identities: { app: {}, other: {} } });
    const { identities } = await open({ secrets: 'app=a-secret-of-mine-1; other=a-secret-of-mine=2' });
    const find = (secret: string) => identities.secrets.find(secret, identities.list()).map(({ name }) => name);

    expect([find('a-secret-of-mine-1'), find('a-secret-of-mine=2'), find('a-secret-of-mine')]).toEqual([
      ['app'],
      ['other'],
      [],
    ]);
  });

  it('may be that of several identities, for a program that has them all', async () => {
    await write({ identities: { app: {}, other: {}, third: {} } });
    const { identities } = await open({ secrets: 'app=a-secret-of-mine-1;third=a-secret-of-mine-1' });
    const ask = async (query: string) => {
      const [row] = identityRows(identities, () => 'https://127.0.0.1:1');
      const headers = { 'x-identity-header': 'a-secret-of-mine-1' };
      const asked = { query: new URLSearchParams(`resource=x${query}`), headers } as unknown as ControlRequest;
      const { status, body = '' } = (await row?.run(asked)) ?? {};
      const { client_id: id, message } = JSON.parse(String(body));
      return [status, identities.list().find(({ clientId }) => clientId === id)?.name ?? message];
    };
    const idOf = (name: string) => `&client_id=${identities.choose(name).clientId}`;

    expect(await ask(idOf('third'))).toEqual([200, 'third']);
    expect(await ask(idOf('app'))).toEqual([200, 'app']);
    expect((await ask(idOf('other')))[0]).toBe(400);
    expect(await ask('')).toEqual([400, 'The secret is that of several identities. Name one of them by client_id.']);
  });

  it.each([
    ['app', 'expected name=secret;name=secret.'],
    ['app=', 'expected name=secret;name=secret.'],
    ['app=short', 'the secret of app has fewer than 16 characters.'],
    ['nobody=a-secret-of-mine-1', "There is no identity 'nobody'."],
  ])('is rejected as %s, without being shown', async (secrets, message) => {
    await write({ identities: { app: {}, other: {} } });
    const rejection = open({ secrets });

    await expect(rejection).rejects.toThrow(message);
    await expect(rejection).rejects.not.toThrow('a-secret-of-mine-1');
  });
});
