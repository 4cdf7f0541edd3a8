import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { runLine } from '../../support/programs/run-line.js';

describe('tabularium changes', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium();
    const account = { name: 'devstoreaccount1', keys: [/AccountKey=([^;]+)/.exec(server.connectionString)?.[1] ?? ''] };
    const client = new ServiceClient(
      () => ({ url: server.url, base: `${server.url}/${account.name}`, account }) as never,
    );
    for (const table of ['People', 'Places']) await client.post('/Tables', { TableName: table });
    await server.mark('a test');
    await client.post('/People', { PartitionKey: 'p', RowKey: 'a' });
    await client.post('/Places', { PartitionKey: 'p', RowKey: 'b' });
    await client.delete("/Places(PartitionKey='p',RowKey='b')", { ifMatch: '*' });
    client.close();
  });
  afterAll(() => server.close());

  const linesOf = async (...words: readonly string[]) => {
    const { out, errors } = await runLine(['changes', ...words], { TABULARIUM_URL: server.url });
    return `${out}${errors}`.trimEnd().split('\n');
  };

  it('prints a line for each change', async () => {
    expect(await linesOf('--since', 'a test', '--table', 'people')).toEqual([
      expect.stringMatching(
        /^1 \d\d:\d\d:\d\d\.\d{3} devstoreaccount1\/People insert "p" "a" [0-9a-f-]{36} \[a test\]$/,
      ),
    ]);
  });

  it('prints the answer as JSON if asked to', async () => {
    const [answer = ''] = await linesOf('--since', '2', '--json');
    expect(JSON.parse(answer)).toMatchObject({ last: 3, changes: [{ seq: 3, kind: 'delete' }] });
  });

  it('follows new changes until the server stops', async () => {
    const other = await startTabularium();
    await other.import(['{"PartitionKey":"p","RowKey":"r"}'], { table: 'People' });
    const following = runLine(['changes', '--follow', '--url', other.url]);
    await expect.poll(() => vi.mocked(process.stdout.write).mock.calls.length).toBeGreaterThan(0);
    await other.close();
    expect(await following).toMatchObject({ code: 0, out: expect.stringMatching(/^1 .* insert "p" "r"\n$/) });
  });

  it('says what the server rejects', async () => {
    expect((await linesOf('--since', 'other'))[0]).toMatch(/: There is no mark 'other'/);
  });

  it('takes the separators of Unicode in a key for a part of it', async () => {
    const row = '{"PartitionKey":"p","RowKey":"a\\u2028b\\u2029c"}';
    await server.import([row], { table: 'Separated' });
    expect(await linesOf('--table', 'Separated')).toEqual([expect.stringContaining('insert "p" "a\\u2028b\\u2029c"')]);
  });
});
