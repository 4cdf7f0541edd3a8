import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Accounts } from '../../src/auth/accounts.js';
import { createClock } from '../../src/clock/clock.js';
import { requestLog } from '../../src/log/log-request.js';
import { openLog } from '../../src/log/open-log.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { headBytesMax } from '../../src/protocol/limits.js';
import { startServer } from '../../src/server.js';
import { createService } from '../../src/service/service.js';
import { type Config, defaultConfig } from '../../src/settings/config.js';
import { openStore } from '../../src/store/open-store.js';
import type { TableStore } from '../../src/store/store.js';
import { createApp } from '../../src/wire/create-app.js';
import type { Answer } from '../support/answers/answer.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { ServiceClient } from '../support/clients/service-client.js';
import { externalService } from '../support/servers/external-service.js';
import type { RunningService } from '../support/servers/start-service.js';
import { writeToken } from '../support/signatures/https-token.js';
import {
  type AccessFields,
  accountAccess,
  hoursFromNow,
  signAccess,
  tableAccess,
} from '../support/signatures/sign-access.js';

const key = developmentAccount.keys[0] ?? '';
const wrongKey = Buffer.from('a key that opens nothing').toString('base64');
const token = writeToken();

/** Creates a client that records the secrets of its requests. */
function secretiveClient(url: string): { client: ServiceClient; secrets: Set<string>; ask: Ask } {
  const service = { url, base: `${url}/${developmentAccount.name}`, account: developmentAccount } as RunningService;
  const client = new ServiceClient(() => service);
  const secrets = new Set([key, wrongKey, token]);
  const ask: Ask = async (method, path, options = {}) => {
    const sig = /[?&](?:s|%73)ig=([^&]*)/.exec(path)?.[1];
    if (sig) secrets.add(decodeURIComponent(sig));
    const answer = await client.send(method, path, options);
    const credentials = answer.sent['authorization']?.split(/[ :]/).at(-1);
    if (credentials) secrets.add(credentials);
    return answer;
  };
  return { client, secrets, ask };
}
type Ask = (...request: Parameters<ServiceClient['send']>) => Promise<Answer>;

/** Returns the forms of a secret in a log: plain, percent-encoded in either case, base64, and bytes. */
function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const bytes = Buffer.from(secret);
  return [
    secret,
    encoded,
    lower,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'),
    [...bytes].join(','),
  ];
}

/** Returns the secrets that a log contains. */
function foundIn(log: string, secrets: Iterable<string>): string[] {
  return [...secrets].filter((secret) => formsOf(secret).some((form) => log.includes(form)));
}

const none = { auth: 'none' } as const;

/** Sends every kind of credentials, valid and invalid, with every kind of request. Returns the statuses. */
async function askAll(ask: Ask, url: string): Promise<number[]> {
  const signed = (path: string, fields: AccessFields) => `${path}?${signAccess(fields)}`;
  const expired = { se: hoursFromNow(-1) };
  const part = insert('Logged', { PartitionKey: 'p', RowKey: '2' });
  const absolute = { ...part, url: `${url}/devstoreaccount1${signed('/Logged', tableAccess('Logged'))}` };
  const batch = {
    body: writeChangeSet([absolute]),
    headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
  };
  const answers = [
    await ask('POST', '/Tables', { body: { TableName: 'Logged' } }),
    await ask('POST', '/Logged', { body: { PartitionKey: 'p', RowKey: 'r' }, auth: 'SharedKeyLite' }),
    await ask('GET', '/Tables', { key: wrongKey }),
    await ask('GET', signed('/Logged', tableAccess('Logged')), none),
    await ask('GET', `/Logged?${signAccess(tableAccess('Logged')).split('&').reverse().join('&')}`, none),
    await ask('GET', signed('/Tables', accountAccess()), none),
    await ask('GET', signed('/Logged', tableAccess('Logged', expired)), none),
    await ask('GET', signed('/Missing', tableAccess('Missing')), none),
    await ask('GET', signed('/no(such=syntax', accountAccess()), none),
    await ask('GET', `${signed('/Tables', accountAccess())}&broken=%zz`, none),
    await ask('OPTIONS', signed('/Tables', accountAccess()), { ...none, headers: { Origin: 'http://own.example' } }),
    await ask('POST', signed('/$batch', tableAccess('Logged')), { ...none, ...batch }),
    await ask('GET', '/Tables', { headers: { Authorization: `Bearer ${token}` } }),
    await ask('GET', '/Tables', { headers: { Authorization: `Unknown ${token}` } }),
    await ask('GET', '/Tables', { ...none, version: 'no version' }),
    await ask('GET', signed('/Tables', accountAccess()), { ...none, prefix: '/unknown' }),
  ];
  return answers.map(({ status }) => status);
}

/** Sends bytes that are not a valid request, and waits for the connection to end. */
function sendRaw(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket
      // The server may end the connection before it has read everything, which resets it.
      .on('error', () => {})
      .on('close', () => resolve())
      .resume();
  });
}

const settings: Config = { ...defaultConfig, port: 0, inMemory: true };
const statuses = [201, 201, 403, 200, 200, 200, 403, 404, 400, 400, 400, 202, 403, 400, 400, 404];

const secret = 'c2VjcmV0IHNpZ25hdHVyZSB0aGF0IG5vYm9keSBzaG91bGQga25vdw==';
const secretHead =
  `GET /devstoreaccount1/Tables?sig=${encodeURIComponent(secret)} HTTP/1.1\r\nHost: x\r\n` +
  `Authorization: SharedKey devstoreaccount1:${secret}\r\n`;
const malformed: readonly (readonly [what: string, write: (head: string) => string])[] = [
  ['a line that is not a header', (head) => `${head}no header\r\n\r\n`],
  ['a head longer than the server reads', (head) => `${head}X: ${'x'.repeat(headBytesMax)}\r\n\r\n`],
  ['an unknown verb', (head) => `${head.replace('GET', 'NONSENSE')}\r\n`],
];

describe.skipIf(externalService)(
  `The log contains no secret${externalService ? ' (skipped: needs the log of our server)' : ''}`,
  () => {
    it('at level trace', async () => {
      let log = '';
      const logger = pino({ level: 'trace' }, { write: (line: string) => (log += line) });
      const server = await startServer(settings, logger);
      const { client, secrets, ask } = secretiveClient(server.url);
      try {
        expect(await askAll(ask, server.url)).toEqual(statuses);
      } finally {
        client.close();
        await server.close();
      }

      expect(log.split('\n').filter((line) => line.includes('"msg":"request"'))).toHaveLength(statuses.length);
      expect(secrets.size).toBeGreaterThan(8);
      expect(foundIn(log, secrets)).toEqual([]);
    });

    it('in the debug file', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tabularium-log-'));
      const debug = join(folder, 'debug.log');
      const log = openLog({ silent: true, debug, log: 'human' });
      const server = await startServer(settings, log.logger);
      const { client, secrets, ask } = secretiveClient(server.url);
      try {
        expect(await askAll(ask, server.url)).toEqual(statuses);
        await server.close();
        const requests = async () => (await readFile(debug, 'utf8')).match(/"msg":"request"/g);
        await expect.poll(requests).toHaveLength(statuses.length);
        await log.end();
        const text = await readFile(debug, 'utf8');

        expect(foundIn(text, secrets)).toEqual([]);
      } finally {
        client.close();
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('when a request fails with an unexpected error', async () => {
      let log = '';
      const clock = createClock();
      const store = await openStore({ engine: 'memory' }, { clock, cacheBytes: 0 });
      const report = (err: unknown, message: string) => logger.error({ err }, message);
      const service = createService({
        accounts: new Accounts([developmentAccount]),
        store: failing(store),
        now: clock.now,
        bearerTokens: true,
        report,
      });
      const logger = pino({ level: 'trace' }, { write: (line: string) => (log += line) });
      const { app } = createApp({
        service,
        logger,
        bounds: defaultConfig,
        observers: [requestLog(logger)],
        tls: undefined,
      });
      const { client, secrets, ask } = secretiveClient(await app.listen({ host: '127.0.0.1', port: 0 }));
      try {
        const answers = [
          await ask('GET', '/Tables'),
          await ask('GET', `/Tables?${signAccess(accountAccess())}`, none),
          await ask('GET', `/Any?${signAccess(tableAccess('Any'))}`, none),
        ];
        expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
      } finally {
        client.close();
        await app.close();
        await store.close();
      }

      expect(log).toContain('the engine failed');
      expect(foundIn(log, secrets)).toEqual([]);
    });

    // The log must also find names that are percent-encoded, because the server decodes them.
    it('when the name of sig is percent-encoded', async () => {
      let log = '';
      const logger = pino({ level: 'info' }, { write: (line: string) => (log += line) });
      const server = await startServer(settings, logger);
      const { client, secrets, ask } = secretiveClient(server.url);
      try {
        const query = signAccess(accountAccess()).replace('sig=', '%73ig=');
        expect(await ask('GET', `/Tables?${query}`, none)).toMatchObject({ status: 200 });
      } finally {
        client.close();
        await server.close();
      }

      expect(foundIn(log, secrets)).toEqual([]);
    });

    // The limit is far below the time after which the server ends an idle connection.
    it.each(malformed)('when the bytes are not a valid request: %s', { timeout: 60_000 }, async (_what, write) => {
      expect(foundIn(await logOfBytes(write(secretHead)), [secret])).toEqual([]);
    });
  },
);

/** Returns the log of a server that receives these bytes. */
async function logOfBytes(bytes: string): Promise<string> {
  let log = '';
  const server = await startServer(settings, pino({ level: 'trace' }, { write: (line: string) => (log += line) }));
  try {
    await sendRaw(server.url, bytes);
  } finally {
    await server.close();
  }
  return log;
}

/** A store on which every operation fails that opens or lists tables. */
function failing(store: TableStore): TableStore {
  const fail = () => {
    throw new Error('the engine failed');
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'openTable' || name === 'listTables') return fail;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
