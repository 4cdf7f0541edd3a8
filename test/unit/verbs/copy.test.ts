import { expect, it } from 'vitest';
import { exported, manyRows, oddData, startTwo } from '../../support/copy/copy-between.js';

/** Calls the verb of a server. Returns the lines of its answer. */
async function copyInto(url: string, wish: object): Promise<readonly Record<string, unknown>[]> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/_tabularium/copy`, { method: 'POST', headers, body: JSON.stringify(wish) });
  return (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('copies an account into the server as it is, and reports the progress', async () => {
  await using servers = await startTwo(oddData + manyRows(11_000));
  const { one, other } = servers;
  const lines = await copyInto(other.url, { from: one.connectionString });
  expect(lines.slice(0, -1).length).toBeGreaterThan(0);
  expect(lines.at(-1)).toMatchObject({ done: true, rows: 11_015, tables: 4, rejectedRows: 0 });
  expect(await exported(other)).toBe(await exported(one));
});

it('copies chosen tables with masks, treats entities that exist as an import does, and can be undone', async () => {
  await using servers = await startTwo(manyRows(20) + manyRows(3, 3, 'Other'));
  const { one, other } = servers;
  const wish = { from: one.connectionString, tables: ['many'], filter: 'Age lt 5', mask: ['Total'], mode: 'replace' };
  const [end] = (await copyInto(other.url, wish)).slice(-1);
  expect(end).toMatchObject({ done: true, rows: 5, undo: expect.any(String) });
  expect((await exported(other)).split('\n')[0]).toBe('{"$table":"Many"}');
});

it('says that a mask matched no entity', async () => {
  await using servers = await startTwo(manyRows(5));
  const { one, other } = servers;
  const lines = await copyInto(other.url, { from: one.connectionString, mask: ['Age', 'Totl'] });
  expect(lines.at(-1)).toMatchObject({
    done: true,
    notes: ['--mask Totl matched no entity. Nothing is masked by it.'],
  });
  const [end] = (await copyInto(other.url, { from: one.connectionString, mask: ['Age'] })).slice(-1);
  expect(end).not.toHaveProperty('notes');
});

it.each([['/etc/hosts.ndjson'], ['postgres://user@host/name'], ['https://account.table.core.windows.net']])(
  'reads no files and uses no tokens of the server for a caller: %s',
  async (from) => {
    await using servers = await startTwo('');
    expect(await copyInto(servers.other.url, { from })).toEqual([
      { error: 'Pass a connection string with a key or a signature, or a signed URL.' },
    ]);
  },
);

it('keeps the secret in no journal and no answer', async () => {
  await using servers = await startTwo(manyRows(3));
  const { one, other } = servers;
  const secret = 'c2VjcmV0'.repeat(11);
  const from = one.connectionString.replace(/AccountKey=[^;]*/, `AccountKey=${secret}`);
  const lines = await copyInto(other.url, { from });
  expect(lines).toMatchObject([{ done: false, error: expect.stringContaining('403 AuthenticationFailed') }]);
  const requests = JSON.stringify([await other.requests.list(), await one.requests.list(), lines]);
  expect(requests).not.toContain(secret);
});
