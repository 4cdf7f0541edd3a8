import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChangesOptions, printChanges } from '../../../src/commands/changes.js';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { configOf } from '../../support/parse-command.js';
import { ServiceClient } from '../../support/service-client.js';

describe('tabularium changes', () => {
  let server: Tabularium;
  let printed: string[];
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

  const linesOf = async (options: ChangesOptions) => {
    printed = [];
    await printChanges(configOf(['--tablePort', String(server.port)]), options, (line) => printed.push(line));
    return printed;
  };

  it('prints a line for each change', async () => {
    expect(await linesOf({ since: 'a test', table: 'people' })).toEqual([
      expect.stringMatching(
        /^1 \d\d:\d\d:\d\d\.\d{3} devstoreaccount1\/People insert "p" "a" [0-9a-f-]{36} \[a test\]$/,
      ),
    ]);
  });

  it('prints what a test wrote, table by table', async () => {
    expect(await linesOf({ since: 'a test', byTable: true })).toEqual([
      'devstoreaccount1/People: 1 insert',
      expect.stringMatching(/^ {2}insert "p" "a" /),
      'devstoreaccount1/Places: 1 insert, 1 delete',
      expect.stringMatching(/^ {2}insert "p" "b" /),
      expect.stringMatching(/^ {2}delete "p" "b" /),
    ]);
  });

  it('prints the lines of the answer as JSON if asked to', async () => {
    const [head = '', change = ''] = await linesOf({ since: '2', json: true });
    expect(JSON.parse(head)).toMatchObject({ last: 3 });
    expect(JSON.parse(change)).toMatchObject({ seq: 3, kind: 'delete' });
  });

  it('follows new changes until the server stops', async () => {
    const other = await startTabularium();
    const lines: string[] = [];
    const config = configOf(['--tablePort', String(other.port)]);
    let begun = () => {};
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const following = printChanges(config, { follow: true, json: true }, (line) => {
      lines.push(line);
      begun();
    });
    await first;
    await other.close();
    await following;
    expect(lines).toEqual([expect.stringContaining('"last":0')]);
  });

  it('says what the server rejects', async () => {
    await expect(linesOf({ since: 'other' })).rejects.toThrow(/refused: There is no mark 'other'/);
  });

  it('takes the separators of Unicode in a key for a part of it', async () => {
    const row = '{"PartitionKey":"p","RowKey":"a\\u2028b\\u2029c"}';
    await server.import([row], { table: 'Separated' });
    expect(await linesOf({ table: 'Separated' })).toEqual([expect.stringContaining('insert "p" "a\\u2028b\\u2029c"')]);
  });
});
