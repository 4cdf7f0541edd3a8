import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type ChildServer, eachInFolder, startChild } from '../../support/programs/child-server.js';
import { openAt } from '../../support/programs/data-folder.js';

/** Number of kills. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_KILL_ROUNDS'] ?? 3);

/** More rows than are imported before the kill. */
const rows = 40_000;

let location: string;
eachInFolder((folder) => {
  location = folder;
});

const header = '{"$table":"Orders"}\n';
const rowAt = (at: number) =>
  `{"PartitionKey":"p","RowKey":"${String(at).padStart(6, '0')}","N":${at},"Text":"${'x'.repeat(100)}"}\n`;

function* data(): Generator<string> {
  yield header;
  for (let at = 0; at < rows; at++) yield rowAt(at);
}

/**
 * Begins an import. Resolves to the number of rows that the server has reported as imported, once it has reported some. With
 * `isOpen` the data has no end.
 */
async function importSome(server: ChildServer, query: string, isOpen = false): Promise<number> {
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const outgoing = request(`${server.url}/_tabularium/import?${query}`, { method: 'POST', headers, agent: false });
  outgoing.on('error', () => {});
  Readable.from(data()).pipe(outgoing, { end: !isOpen });
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).setEncoding('utf8');
  const [line] = (await once(answer, 'data')) as [string];
  return (JSON.parse(line.slice(0, line.indexOf('\n'))) as { rows: number }).rows;
}

/** Returns the names of all snapshots in a folder that no server uses, also of those that no list of a server shows. */
async function keptIn(folder: string): Promise<readonly string[]> {
  const store = await openAt(folder);
  const names = (await store.snapshots.kept.list('import')).map(({ id }) => id);
  await store.close();
  return names;
}

/** Returns the exported data of a server. */
async function exported(server: ChildServer): Promise<string> {
  return (await fetch(`${server.url}/_tabularium/export`)).text();
}

it(`A server that is killed ${rounds} times during an import keeps the rows that it reported, each whole and in order`, {
  timeout: 600_000 + rounds * 20_000,
}, async () => {
  const whole = [...data()].join('');
  for (let round = 0; round < rounds; round++) {
    const server = await startChild({ location });
    await fetch(`${server.url}/_tabularium/reset`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"to":"empty"}',
    });
    const told = await importSome(server, round % 2 === 0 ? '' : 'strict');
    expect(await server.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });

    const next = await startChild({ location });
    const kept = await exported(next);
    expect(whole.startsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThanOrEqual(header.length + told * rowAt(0).length - 5 * told);
    expect(kept.endsWith('\n')).toBe(true);
    const { body, status } = await next.client().post('/Orders', { PartitionKey: 'p', RowKey: `later${round}` });
    expect([status, body]).toEqual([201, expect.stringContaining('later')]);
    expect(await next.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(await keptIn(location)).toEqual([]);
  }
});

it('A server that stops during a strict import rolls back its writes', async () => {
  const server = await startChild({ location });
  await importSome(server, 'strict', true);
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });

  const next = await startChild({ location });
  expect(await exported(next)).toBe('');
  expect(await next.stop('SIGTERM')).toMatchObject({ code: 0 });
  expect(await keptIn(location)).toEqual([]);
});
