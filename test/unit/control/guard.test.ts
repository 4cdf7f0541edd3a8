import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type AdminAccess, openAdminAccess } from '../../../src/control/admin-access.js';
import { answerJson, type ControlRow } from '../../../src/control/control-row.js';
import { createGuard } from '../../../src/control/guard.js';
import { startTabularium } from '../../../src/index.js';
import { AllowedHosts } from '../../../src/service/allowed-hosts.js';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { describeService } from '../../support/servers/describe-service.js';

const run = () => answerJson(200, {});
const read: ControlRow = { method: 'GET', path: '/_tabularium/a', purpose: 'reads', run };
const change: ControlRow = { method: 'POST', path: '/_tabularium/a', purpose: 'changes', takes: 'json', run };
const upload: ControlRow = { method: 'POST', path: '/_tabularium/b', purpose: 'uploads', takes: 'upload', run };
const open: ControlRow = { ...read, isOpen: true };

const token = 'the-token-of-the-server';
const readToken = 'the-token-that-reads';
const loopback: AdminAccess = { mode: 'loopback', token, readToken, isGenerated: false };
const json = { 'content-type': 'application/json' };

interface Sent {
  readonly row?: ControlRow | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
  readonly encrypted?: boolean;
  readonly httpVersion?: string;
}

/** Returns what the guard answers to a request: its status, or undefined if the request passes. */
function statusOf(
  { row = read, headers = {}, from = '127.0.0.1', encrypted, httpVersion = '1.1' }: Sent,
  access = loopback,
) {
  const guard = createGuard({
    hosts: new AllowedHosts(['*']),
    adminHosts: new AllowedHosts(['tables.example']),
    access,
  });
  const request = {
    method: row.method,
    httpVersion,
    headers: { host: 'localhost:10002', ...headers },
    socket: { remoteAddress: from, encrypted },
  };
  return guard(request as unknown as IncomingMessage, row)?.status;
}

describe('The guard of the control endpoints', () => {
  it.each<[string, Sent, number | undefined]>([
    ['a read from this machine', {}, undefined],
    ['a change in JSON from this machine', { row: change, headers: json }, undefined],
    [
      'a change in JSON with a character set',
      { row: change, headers: { 'content-type': 'Application/JSON; charset=utf-8' } },
      undefined,
    ],
    ['an upload of lines of JSON', { row: upload, headers: { 'content-type': 'application/x-ndjson' } }, undefined],
    [
      'a page of its own origin',
      { headers: { origin: 'http://localhost:10002', 'sec-fetch-site': 'same-origin' } },
      undefined,
    ],
    [
      'a page of its own origin over TLS',
      { encrypted: true, headers: { origin: 'https://localhost:10002' } },
      undefined,
    ],
    ['an address that a user typed', { headers: { 'sec-fetch-site': 'none' } }, undefined],
    ['a host of the settings with the token', { headers: { host: 'tables.example', ...bearer(token) } }, undefined],
    ['a foreign host', { headers: { host: 'rebound.example' } }, 403],
    ['a foreign origin', { headers: { origin: 'http://foreign.example' } }, 403],
    ['the origin of another port', { headers: { origin: 'http://localhost:8080' } }, 403],
    ['the origin of another scheme', { headers: { origin: 'https://localhost:10002' } }, 403],
    ['the origin null', { headers: { origin: 'null' } }, 403],
    ['a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['a page of another origin of the site', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['a change that comes from no site', { row: change, headers: { ...json, 'sec-fetch-site': 'none' } }, 403],
    ['a change in text', { row: change, headers: { 'content-type': 'text/plain' } }, 415],
    ['a change as a form', { row: change, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['a change without a type', { row: change }, 415],
    ['an upload as a form', { row: upload, headers: { 'content-type': 'multipart/form-data' } }, 415],
    ['a read from another machine', { from: '10.0.0.7' }, 401],
    ['a read that a proxy forwarded', { headers: { 'x-forwarded-for': '10.0.0.7' } }, 401],
    ['a read of a proxy that names only the caller', { headers: { 'x-real-ip': '10.0.0.7' } }, 401],
    ['a read of a proxy that names only itself', { headers: { via: '1.1 proxy' } }, 401],
    ['a read of a proxy that names no client and speaks HTTP/1.0', { httpVersion: '1.0' }, 401],
    ['a read in HTTP/1.0 with the token', { httpVersion: '1.0', headers: bearer(token) }, undefined],
    ['a read from another machine with the token', { from: '10.0.0.7', headers: bearer(token) }, undefined],
    ['a read from another machine with the reading token', { from: '10.0.0.7', headers: bearer(readToken) }, undefined],
    [
      'a change with the reading token',
      { row: change, from: '10.0.0.7', headers: { ...json, ...bearer(readToken) } },
      403,
    ],
    ['a change with the token', { row: change, from: '10.0.0.7', headers: { ...json, ...bearer(token) } }, undefined],
    ['a token with one letter less', { from: '10.0.0.7', headers: bearer(token.slice(1)) }, 401],
    ['the token in another scheme', { from: '10.0.0.7', headers: { authorization: `Basic ${token}` } }, 401],
    ['a token without its scheme', { from: '10.0.0.7', headers: { authorization: token } }, 401],
    ['an open row from another machine', { row: open, from: '10.0.0.7', headers: { host: 'any.example' } }, undefined],
  ])('answers %s', (_what, sent, status) => {
    expect(statusOf(sent)).toBe(status);
  });

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('takes %s for this machine', (from) => {
    expect(statusOf({ from })).toBeUndefined();
  });

  it.each(['10.0.0.7', '::ffff:10.0.0.7', '127.example', 'fe80::1', ''])('takes %j for another machine', (from) => {
    expect(statusOf({ from })).toBe(401);
  });

  it.each(['127.0.0.1:10002', '127.8.9.1', '[::1]:10002', 'LOCALHOST', 'localhost.:80', 'acct.table.localhost'])(
    'answers callers of this machine that name it %s',
    (host) => expect(statusOf({ headers: { host } })).toBeUndefined(),
  );

  it.each(['tables.example', 'tables', '10.0.0.7:10002', '[fd00::7]', ''])(
    'asks callers of this machine for the token if they name it %j, as others do through a proxy',
    (host) => {
      expect(statusOf({ headers: { host } })).toBe(401);
      expect(statusOf({ row: open, headers: { host } })).toBeUndefined();
    },
  );

  it('asks callers of this machine for the token, too, if every caller needs one', () => {
    expect(statusOf({}, { ...loopback, mode: 'token' })).toBe(401);
    expect(statusOf({ headers: bearer(token) }, { ...loopback, mode: 'token' })).toBeUndefined();
  });

  it('names the variable to set where no token exists', () => {
    const guard = createGuard({
      hosts: new AllowedHosts([]),
      adminHosts: new AllowedHosts([]),
      access: { ...loopback, token: undefined, readToken: undefined },
    });
    const request = { method: 'GET', headers: {}, socket: { remoteAddress: '10.0.0.7' } };
    expect(guard(request as unknown as IncomingMessage, read)).toMatchObject({
      status: 403,
      body: expect.stringContaining('TABULARIUM_ADMIN_TOKEN'),
    });
  });

  it('lets a request for an unknown path pass, so that it gets the list of paths', () => {
    const guard = createGuard({ hosts: new AllowedHosts([]), adminHosts: new AllowedHosts([]), access: loopback });
    const request = { method: 'POST', headers: {}, socket: { remoteAddress: '10.0.0.7' } };
    expect(guard(request as unknown as IncomingMessage, undefined)).toBeUndefined();
  });
});

function bearer(value: string) {
  return { authorization: `Bearer ${value}` };
}

describe('The token of the control endpoints', () => {
  const settings = { admin: 'loopback', adminToken: undefined, adminReadToken: undefined, host: '127.0.0.1' } as const;

  it.each([
    [{ host: '0.0.0.0' }, true],
    [{ host: '::' }, true],
    [{ host: 'server.example' }, true],
    [{ admin: 'token' as const }, true],
    [{}, false],
    [{ host: '::1' }, false],
    [{ host: 'localhost' }, false],
    [{ admin: 'off' as const, host: '0.0.0.0' }, false],
  ])('with %j is made: %s', (changed, isGenerated) => {
    const access = openAdminAccess({ ...settings, ...changed });
    expect(access.isGenerated).toBe(isGenerated);
    expect(access.token === undefined).toBe(!isGenerated);
  });

  it('is another for each server, and cannot be guessed', () => {
    const [one, other] = [1, 2].map(() => openAdminAccess({ ...settings, admin: 'token' }).token);
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[\w-]{32}$/);
  });

  it('is the one of the settings if they have one', () => {
    expect(openAdminAccess({ ...settings, host: '0.0.0.0', adminToken: 'x' })).toMatchObject({
      token: 'x',
      isGenerated: false,
    });
  });
});

describe('The location of a server', () => {
  it('is known to callers with all rights alone, and only if the data is in a folder', async () => {
    const location = await makeFolder();
    const tokens = { admin: 'token', adminToken: 'all', adminReadToken: 'read' } as const;
    const server = await startTabularium({ ...tokens, location });
    const inMemory = await startTabularium(tokens);
    const locationFor = async (token: string, { url } = server) => {
      const answer = await fetch(`${url}/_tabularium/info`, { headers: { Authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { readonly location?: string }).location;
    };
    expect(await locationFor('all')).toBe(location);
    expect(await locationFor('read')).toBeUndefined();
    expect(await locationFor('all', inMemory)).toBeUndefined();
    await Promise.all([server.close(), inMemory.close()]);
  });
});

describeService('/_tabularium/info', ({ service }) => {
  it('reports version, start, accounts and the connection string of the first one', async () => {
    const answer = await fetch(`${service().url}/_tabularium/info`);
    const text = await answer.text();
    // Only a server in memory has the memory.
    const { memory, ...info } = JSON.parse(text);
    if (memory) expect(memory).toEqual({ isFull: false, maxBytes: expect.any(Number), usedBytes: expect.any(Number) });
    expect(info).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      started: expect.stringMatching(/^\d{4}-/),
      accounts: [service().account.name],
      connectionString: expect.stringMatching(
        `AccountKey=.*;TableEndpoint=${service().url}/${service().account.name};$`,
      ),
    });
  });

  it('reports no key to the page for browsers', async () => {
    const headers = { 'x-tabularium-client': 'explorer' };
    const answer = await fetch(`${service().url}/_tabularium/info`, { headers });
    const text = await answer.text();
    expect(text).toContain(service().account.name);
    for (const key of service().account.keys) expect(text).not.toContain(key);
  });

  it('reports no key to a caller that may only read', async () => {
    await using server = await startTabularium({ admin: 'token', adminToken: 'all', adminReadToken: 'read' });
    const ask = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      return Object.keys((await (await fetch(`${server.url}/_tabularium/info`, { headers })).json()) as object);
    };
    expect(await ask('all')).toEqual(['version', 'started', 'accounts', 'connectionString', 'memory']);
    expect(await ask('read')).toEqual(['version', 'started', 'accounts', 'memory']);
  });

  it.each([
    ['HTTP/1.0', '127.0.0.1', 403],
    ['HTTP/1.1', 'tables', 403],
    ['HTTP/1.1', '127.0.0.1', 200],
  ])('is answered in %s to the host %s with %i, and health with 200', async (version, host, status) => {
    const statusAt = async (path: string) => {
      const connection = await RawConnection.open(service());
      await connection.write(`GET /_tabularium/${path} ${version}\r\nHost: ${host}\r\n\r\n`);
      const answer = await connection.answer();
      connection.destroy();
      return answer?.status;
    };
    expect(await statusAt('info')).toBe(status);
    expect(await statusAt('health')).toBe(200);
  });

  it('is rejected to a page of another origin', async () => {
    const answer = await fetch(`${service().url}/_tabularium/info`, { headers: { Origin: 'http://foreign.example' } });
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
