import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cosmosEmulatorAccount, developmentAccount } from '../../src/protocol/access/accounts.js';
import { atomVersion, entryOf, keys } from '../support/answers/atom-tools.js';
import { batchBoundary, writeChangeSet } from '../support/bodies/batch-tools.js';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { type PauseSample, startWatched, type WatchedServer } from '../support/measures/watched-server.js';
import { freePort } from '../support/programs/free-port.mjs';
import { makeFolder } from '../support/programs/make-folder.js';
import type { RunningService } from '../support/servers/start-service.js';

/**
 * Processor time that one turn of the event loop may take for these requests, on a processor whose core others use, too. Alone it is 50 at
 * most. Unit: milliseconds.
 */
const mostMs = 80;

const bodyUnits = 4 * 1024 * 1024 - 2048;

/** Fills a body with as many units of a text as it takes. */
function fill(start: string, text: string, end: string, units = bodyUnits): string {
  return start + text.repeat(Math.floor(units / Buffer.byteLength(text))) + end;
}

/** A request whose answer is known, written for a service. */
interface HeavyRequest {
  readonly name: string;
  readonly status: number;
  readonly code?: string;
  readonly service?: 'cosmos' | 'storage';
  write(service: RunningService, at: number): Buffer;
}

type Expected = readonly [status: number, code?: string];

const send = (
  name: string,
  [status, code]: Expected,
  [method, path]: readonly [method: string, path: string],
  headers: Readonly<Record<string, string>>,
  body: string,
): HeavyRequest => ({
  name,
  status,
  ...(code !== undefined && { code }),
  write(service) {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    return Buffer.concat([
      Buffer.from(signedHead(service, method, path, { ...headers, ...length })),
      Buffer.from(body),
    ]);
  },
});

const json = { 'Content-Type': 'application/json' };
const atom = { 'Content-Type': 'application/atom+xml', 'x-ms-version': atomVersion };
const xml = { Accept: 'application/xml' };
const tooLarge = [400, 'EntityTooLarge'] as const;
const unreadable = [400, 'InvalidInput'] as const;

const keysInJson = '{"PartitionKey":"p","RowKey":"r"';
const inJson = (text: string, start = ',"A":"', expected: Expected = tooLarge) =>
  send(
    `JSON of ${start}${text}`,
    expected,
    ['POST', '/Rows'],
    json,
    fill(keysInJson + start, text, start.endsWith('"') ? '"}' : '}'),
  );
const ofBinary = ',"A@odata.type":"Edm.Binary","A":"';
const inAtom = (text: string, [start, end]: readonly [start: string, end: string] = ['<d:A>', '</d:A>']) =>
  send(
    `Atom of ${start}${text}`.slice(0, 80),
    tooLarge,
    ['POST', '/Rows'],
    atom,
    entryOf(keys + fill(start, text, end)),
  );
const manyValues = Array.from({ length: 60 }, (_, at) => `<d:A${at}>${'&lt;'.repeat(17_000)}</d:A${at}>`).join('');
const cdata = ['<d:A><![CDATA[', ']]></d:A>'] as const;
const inPolicies = (text: string) =>
  send(
    `a policy of ${text}`,
    [400, 'InvalidXmlDocument'],
    ['PUT', '/Rows?comp=acl'],
    xml,
    fill('<SignedIdentifiers><SignedIdentifier><Id>', text, '</Id></SignedIdentifier></SignedIdentifiers>'),
  );
const inProperties = (text: string) =>
  send(
    `a setting of ${text}`,
    [400, 'InvalidXmlDocument'],
    ['PUT', '/?restype=service&comp=properties'],
    xml,
    fill(
      '<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>',
      text,
      '</AllowedOrigins></CorsRule></Cors></StorageServiceProperties>',
    ),
  );

const transaction = (name: string, count: number, status: number, text: string): HeavyRequest => ({
  name,
  status,
  service: 'cosmos',
  write(service, at) {
    const head = 'POST /Rows HTTP/1.1\nContent-Type: application/json\nPrefer: return-no-content';
    const inserts = Array.from(
      { length: count },
      (_, row) => `${head}\n\n{"PartitionKey":"p${at}","RowKey":"${name} ${row}","A":"${text}"}\n`,
    );
    const parts = inserts.map((insert) => `--set\nContent-Type: application/http\n\n${insert}`).join('');
    const body = `--batch\nContent-Type: multipart/mixed; boundary=set\n\n${parts}--set--\n--batch--\n`;
    const type = 'multipart/mixed; boundary=batch';
    const headers = { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) };
    return Buffer.concat([Buffer.from(signedHead(service, 'POST', '/$batch', headers)), Buffer.from(body)]);
  },
});

/** Parts with as many short headers as fit into their heads. */
const manyHeaders = send(
  'parts of headers',
  unreadable,
  ['POST', '/$batch'],
  { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
  writeChangeSet(
    Array.from({ length: 60 }, (_, at) => ({
      method: 'DELETE',
      url: '/Rows',
      headers: [...Array<string>(15_000).fill('a:'), `b: ${at}`],
    })),
  ),
);

/** As many requests for an upgrade as arrive with one read of the socket. */
const upgrades: HeavyRequest = {
  name: 'upgrades in one piece',
  status: 404,
  write: () => Buffer.from('GET / HTTP/1.1\r\nConnection:upgrade\r\nUpgrade:x\r\n\r\n'.repeat(1000)),
};

/** Three reads of the socket, each of 11,000 chunks. */
const tinyChunks: HeavyRequest = {
  name: 'chunks of one byte',
  status: 400,
  write(service) {
    const head = signedHead(service, 'POST', '/Rows', { ...json, 'Transfer-Encoding': 'chunked' });
    return Buffer.from(`${head}${'1\r\n \r\n'.repeat(33_000)}0\r\n\r\n`);
  },
};

const requests: readonly HeavyRequest[] = [
  tinyChunks,
  manyHeaders,
  upgrades,
  ...['&lt;', '&#0000;', '&#xD;', '&#x1F600;', '\r', '\r\n', 'é', 'x'].map((text) => inAtom(text)),
  ...['x', ']', '>', '\r', '&lt;'].map((text) => inAtom(text, cdata)),
  inAtom(manyValues, ['', '']),
  ...['\\u00e9', '\\n', '\\\\', '\\"', 'é', 'x'].map((text) => inJson(text)),
  inJson('\\n', ',"'),
  inJson('\\n', ',"A@odata.type":"'),
  inJson(' ', `${ofBinary}A`, unreadable),
  inJson('A ', ofBinary),
  send('JSON of [', unreadable, ['POST', '/Rows'], json, fill('', '[', '')),
  inPolicies('&lt;'),
  inProperties('&#233;'),
  transaction('1,000 small inserts', 1000, 202, 'x'),
  transaction('1,000 large inserts', 1000, 202, 'x'.repeat(3800)),
  transaction('16,000 small inserts', 16_000, 202, 'x'),
];

describe.runIf(process.platform === 'linux')('A request with megabytes of what takes long to read', () => {
  let folder: string;
  let server: WatchedServer;
  const services: { storage?: RunningService; cosmos?: RunningService } = {};

  beforeAll(async () => {
    folder = await makeFolder();
    const port = await freePort();
    server = await startWatched(folder, ['--cosmosPort', String(port)]);
    const close = async () => {};
    const parts = { takeLoggedErrors: () => [], close };
    const { url } = server;
    services.storage = { ...parts, url, base: `${url}/${developmentAccount.name}`, account: developmentAccount };
    const cosmos = `http://127.0.0.1:${port}`;
    services.cosmos = { ...parts, url: cosmos, base: cosmos, account: cosmosEmulatorAccount };
    for (const service of [services.storage, services.cosmos]) {
      const body = '{"TableName":"Rows"}';
      const head = signedHead(service, 'POST', '/Tables', { ...json, 'Content-Length': String(body.length) });
      expect(await ask(service, Buffer.from(head + body))).toMatchObject({ status: 201 });
    }
    await server.collect();
  });
  afterAll(async () => {
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
    await rm(folder, { recursive: true, force: true });
  });

  const holdsNoTurn = async ({ service = 'storage', write, ...request }: HeavyRequest) => {
    const target = services[service] as RunningService;
    const tries: number[] = [];
    while (tries.length < 5 && Math.min(mostMs + 1, ...tries) > mostMs) {
      const before = server.samples().length;
      const answer = await ask(target, write(target, tries.length));
      expect(answer?.status, answer?.body.slice(0, 300)).toBe(request.status);
      if (request.code) expect(answer?.body).toContain(request.code);
      await server.collect();
      tries.push(longestTurn(server.samples().slice(before)));
    }
    expect(Math.min(...tries)).toBeLessThanOrEqual(mostMs);
  };

  // This is the first of all, because the first documents of a server also wait together until their parser is loaded.
  it('leaves each turn short when long documents end together', async () => {
    const target = services.storage as RunningService;
    const bytes = inAtom('&#0000;').write(target, 0);
    const connections = await Promise.all(Array.from({ length: 5 }, () => RawConnection.open(target)));
    await Promise.all(connections.map((connection) => connection.write(bytes.subarray(0, -1))));
    await server.collect();
    const before = server.samples().length;

    for (const connection of connections) void connection.write(bytes.subarray(-1));

    const statuses = await Promise.all(connections.map(async (connection) => (await connection.answer())?.status));
    expect(statuses).toEqual(connections.map(() => 400));
    for (const connection of connections) connection.destroy();
    await server.collect();
    // Together they took 300.
    expect(longestTurn(server.samples().slice(before))).toBeLessThanOrEqual(2 * mostMs);
  });

  it.each(requests)('leaves each turn of the event loop short: $name', holdsNoTurn);

  it('leaves each turn short while a fault asks for its keys', async () => {
    const rule = { when: { partitionKey: 'none' }, fault: 'ServerBusy', for: '1h' };
    const headers = { 'Content-Type': 'application/json' };
    const added = await fetch(`${server.url}/_tabularium/faults`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ rules: rule }),
    });
    expect(added.status).toBe(200);
    await holdsNoTurn(transaction('large inserts with a fault', 1000, 202, 'x'.repeat(3800)));
    await holdsNoTurn(inJson('\\u00e9'));
  });
});

/** Returns the longest turn in some samples. Unit: milliseconds of processor time. */
function longestTurn(samples: readonly PauseSample[]): number {
  return Math.max(...samples.map(({ processorMs }) => processorMs));
}

/** Sends a request on a connection of its own, and reads its answer. */
async function ask(service: RunningService, bytes: Buffer) {
  const connection = await RawConnection.open(service);
  // The server may answer before all has been sent.
  void connection.write(bytes);
  const answer = await connection.answer();
  connection.destroy();
  return answer;
}
