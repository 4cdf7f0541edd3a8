import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { batchBoundary, insert, writeChangeSet } from '../bodies/batch-tools.js';
import { RawConnection, signedHead } from '../clients/raw-connection.js';
import type { ServiceClient } from '../clients/service-client.js';
import type { RunningService } from '../servers/start-service.js';
import { prototypeNames } from './fuzz-text.js';
import { hostileQueries } from './hostile-filters.js';
import { requestsNaming, sendNaming } from './hostile-names.js';
import { floodUnread, garbage, openSockets, unfinishedRequests } from './hostile-sockets.js';
import { longText, writeLongText } from './long-texts.js';
import { textPlaces } from './text-places.js';

/** Something that a hostile client does. */
export interface Attack {
  readonly name: string;
  /** Does it once. Returns the statuses of the answers; 0 for a connection that was closed instead. */
  run(): Promise<readonly number[]>;
}

/** What is attacked. The service has the table of `fillRows`. */
export interface Target {
  readonly service: RunningService;
  readonly client: ServiceClient;
}

const json = { 'Content-Type': 'application/json' };
const bodyBytes = 4 * 1024 * 1024 - 1024;

/** Returns one of the attacks, each about as often as the others. `random` is from 0 to 1; seed is any whole number. */
export function chooseAttack(target: Target, random: () => number, seed: number): Attack {
  const choose = <One>(list: readonly One[]): One => list[Math.floor(random() * list.length)] as One;
  // Places and texts are many, so they come more often.
  return random() < 0.5 ? longTextAttack(target, choose(textPlaces), seed) : choose(attackKinds)(target, choose);
}

function longTextAttack({ service }: Target, place: (typeof textPlaces)[number], seed: number): Attack {
  const [text = { start: '', repeated: 'a', end: '' }] = fc.sample(longText, { numRuns: 1, seed });
  return {
    name: `${place.name}: ${JSON.stringify(text)}`,
    run: () => sendRaw(service, place.write(service, writeLongText(text, place.unitsMax))),
  };
}

type Choose = <One>(list: readonly One[]) => One;

const attackKinds: readonly ((target: Target, choose: Choose) => Attack)[] = [
  ({ client }, choose) => {
    const request = choose(requestsNaming(choose(prototypeNames), 'Rows'));
    return { name: `a name in ${request.place}`, run: async () => [await sendNaming(client, request)] };
  },
  ({ client }, choose) => {
    const [name, path] = choose(hostileQueries('Rows'));
    return { name, run: async () => [(await client.get(path)).status] };
  },
  ({ service }) => ({ name: 'requests that never end', run: () => holdUnfinished(service) }),
  ({ service }, choose) => {
    const [name, text] = choose(garbage);
    return { name, run: () => sendRaw(service, Buffer.from(text, 'latin1')) };
  },
  ({ service }, choose) => {
    const upgrade = 'GET /a HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: b\r\n\r\n';
    const request = choose(['GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n', upgrade]);
    return { name: 'a connection that is read again', run: () => pipeline(service, request, 1000) };
  },
  ({ service }) => {
    const head = signedHead(service, 'POST', '/Rows', { ...json, 'Transfer-Encoding': 'chunked' });
    const body = Buffer.from(`${'1\r\n \r\n'.repeat(1024 * 1024)}0\r\n\r\n`);
    return { name: 'chunks of one byte', run: () => sendRaw(service, Buffer.concat([Buffer.from(head), body])) };
  },
  ({ service }) => ({ name: 'pages that nobody reads', run: () => leaveUnread(service, '/Rows()') }),
  ({ client }, choose) => {
    const [name, body] = choose(largeBodies);
    return { name, run: async () => [(await client.post('/Rows', body, { headers: json })).status] };
  },
  ({ client, service }, choose) => {
    const [name, headers] = choose(partHeads);
    const part = { ...insert('Rows', { PartitionKey: 'p' }, ...headers), url: `${service.base}/Rows` };
    const count = Math.floor(bodyBytes / (headers.join('').length + 300));
    const body = writeChangeSet(Array(Math.min(count, 100)).fill(part));
    const type = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
    return { name, run: async () => [(await client.post('/$batch', body, { headers: type })).status] };
  },
  ({ client }, choose) => {
    const [method, path, body] = choose(controlCalls);
    return {
      name: `${method} /_tabularium${path}`,
      run: async () => [(await client.send(method, `/_tabularium${path}`, { prefix: '', auth: 'none', body })).status],
    };
  },
  ({ service }, choose) => {
    const path = choose(['/import?table=Imported&mode=replace', '/import?table=Imported&dryRun&format=json']);
    return { name: `POST ${path}, left`, run: () => leaveImport(service, path) };
  },
  ({ service }, choose) => {
    const path = choose(['/export', '/requests/follow', '/changes/follow', '/diff?from=base']);
    return { name: `GET ${path}, unread`, run: () => leaveControl(service, path) };
  },
];

/** Bodies of 4 MiB that can only be rejected. */
const largeBodies: readonly (readonly [name: string, body: string])[] = [
  ['250,000 members', `{${'"a":1,'.repeat(bodyBytes / 6)}"b":1}`],
  ['different members', `{${Array.from({ length: 250_000 }, (_, at) => `"p${at}":1,`).join('')}"b":1}`],
  ['nested arrays', '['.repeat(bodyBytes)],
  ['one string', `{"A":"${'x'.repeat(bodyBytes)}"}`],
  ['escapes', `{"A":"${'\\u0041'.repeat(bodyBytes / 6)}"}`],
];

/** Headers that make the heads of 4 MiB of parts long. */
const partHeads: readonly (readonly [name: string, headers: readonly string[]])[] = [
  ['parts with long lists', [`Accept: ${',a'.repeat(30_000)}`]],
  ['parts with long tags', [`If-Match: ${'"a",'.repeat(15_000)}`]],
  ['parts with many headers', Array.from({ length: 8_000 }, (_, at) => `h${at}: a`)],
];

const rejectedRows = `${'{"PartitionKey":1}\n'.repeat(20_000)}`;
const importedRows = Array.from({ length: 500 }, (_, at) => `{"PartitionKey":"p","RowKey":"${at}","A":${at}}\n`).join(
  '',
);

const controlCalls: readonly (readonly [method: string, path: string, body?: string])[] = [
  ['GET', '/requests?limit=4096'],
  ['GET', '/requests?limit=4096&text=zzzz'],
  ['GET', '/changes'],
  ['GET', '/coach'],
  ['GET', '/metrics'],
  ['GET', '/info'],
  ['GET', '/export'],
  ['GET', '/tables?count'],
  ['GET', '/diff?from=base&limit=10000'],
  ['GET', '/diff?from=devstoreaccount1'],
  ['PUT', '/snapshots/base', '{}'],
  ['POST', '/import?table=Imported', rejectedRows],
  ['POST', '/import?table=Imported&mode=replace', importedRows],
  ['POST', '/faults', '{"rules":{"fault":{"kind":{"toString":1}}}}'],
  ['POST', '/faults', '['.repeat(31_000)],
  ['POST', '/reset', '{"table":"Imported"}'],
  ['POST', '/reset', '{"table":"No"}'],
  ['POST', '/explain', JSON.stringify({ filter: "'aé'".repeat(8_000) })],
  ['POST', '/branches', '{"for":"1s"}'],
  ['POST', '/marks', '{"name":"a mark"}'],
  ['GET', '/'],
];

/** Sends bytes on a connection of its own, and reads one answer. */
async function sendRaw(service: RunningService, bytes: Buffer): Promise<readonly number[]> {
  const connection = await RawConnection.open(service);
  // The server may close the connection before all has been sent.
  void connection.write(bytes);
  const answer = await Promise.race([connection.answer(), sleep(10_000)]);
  connection.destroy();
  return [answer?.status ?? 0];
}

async function pipeline(service: RunningService, request: string, times: number): Promise<readonly number[]> {
  const connection = await RawConnection.open(service);
  const statuses: number[] = [];
  for (let sent = 0; sent < times; sent += 100) {
    await connection.write(Buffer.from(request.repeat(100), 'latin1'));
    for (let answers = 0; answers < 100; answers++) statuses.push((await connection.answer())?.status ?? 0);
  }
  connection.destroy();
  return statuses;
}

async function holdUnfinished(service: RunningService): Promise<readonly number[]> {
  const requests = unfinishedRequests(service);
  const sockets = await openSockets(service, requests.length * 5);
  for (const [at, socket] of sockets.entries()) socket.write(requests[at % requests.length]?.[1] ?? '');
  await sleep(1000);
  for (const socket of sockets) socket.destroy();
  return [];
}

async function leaveUnread(service: RunningService, path: string): Promise<readonly number[]> {
  const sockets = await openSockets(service, 4);
  await floodUnread(sockets, signedHead(service, 'GET', path), 20);
  await sleep(500);
  for (const socket of sockets) socket.destroy();
  return [];
}

async function leaveControl(service: RunningService, path: string): Promise<readonly number[]> {
  const sockets = await openSockets(service, 4);
  const head = `GET /_tabularium${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n\r\n`;
  for (const socket of sockets) socket.pause().write(head);
  await sleep(500);
  for (const socket of sockets) socket.destroy();
  return [];
}

async function leaveImport(service: RunningService, path: string): Promise<readonly number[]> {
  const [socket] = await openSockets(service, 1);
  const head = `POST /_tabularium${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nContent-Length: 9999999\r\n\r\n`;
  if (socket && !socket.write(head + importedRows)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  await sleep(100);
  socket?.destroy();
  return [];
}
