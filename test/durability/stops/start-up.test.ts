import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { expectTableError } from '../../support/answers/expect-error.js';
import { eachInFolder, startAndFail, startChild } from '../../support/programs/child-server.js';
import { freePort } from '../../support/programs/free-port.mjs';

let location: string;
eachInFolder((folder) => {
  location = folder;
});

const keyOf = (text: string) => Buffer.from(text.repeat(8)).toString('base64');

describe('A server that starts', () => {
  it('prints its URL, with the port that the system assigned', async () => {
    const server = await startChild();
    expect(server.readyLine).toMatch(
      /^Tabularium Table service is successfully listening at http:\/\/127\.0\.0\.1:[1-9]\d*$/,
    );
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect((await server.stop('SIGTERM')).output).toBe(`${server.readyLine}\n`);
  });

  it('listens on the port of its options', async () => {
    const port = await freePort();
    const server = await startChild({ port });
    expect(server.url).toBe(`http://127.0.0.1:${port}`);
    await server.stop('SIGTERM');
  });

  it('rejects a folder that another process uses', async () => {
    const first = await startChild({ location });
    expect(await startAndFail({ location })).toEqual({
      code: 2,
      signal: null,
      output: '',
      errors: `The data in ${join(location, 'tabularium-data')} is in use by another process. Stop it, or choose another --location.\n`,
    });
    expect((await first.client().get('/Tables')).status).toBe(200);
    await first.stop('SIGTERM');
  });

  it('reports that its port is in use, and releases its folder', async () => {
    const first = await startChild();
    const port = Number(new URL(first.url).port);
    expect(await startAndFail({ location, port })).toEqual({
      code: 2,
      signal: null,
      output: '',
      errors: `listen EADDRINUSE: address already in use 127.0.0.1:${port}. Another server uses the port. Stop it, or choose another --tablePort or --cosmosPort.\n`,
    });
    const second = await startChild({ location });
    await second.stop('SIGTERM');
    await first.stop('SIGTERM');
  });

  it.each([
    ['acct', 'AZURITE_ACCOUNTS: the account acct needs one or two keys, as in acct:key1:key2.'],
    ['first:a2V5;second:a:b:c', 'AZURITE_ACCOUNTS: the account second needs one or two keys, as in second:key1:key2.'],
    ['acct:not base64', 'AZURITE_ACCOUNTS: a key of the account acct is not base64.'],
    ['a_b:a2V5', "AZURITE_ACCOUNTS: 'a_b' cannot be the name of an account. Use letters, digits and dashes."],
    ['acct:a2V5;acct:a2V5', 'AZURITE_ACCOUNTS names the account acct twice.'],
    [' ; ', 'AZURITE_ACCOUNTS names no account.'],
  ])('rejects the accounts %j and names the invalid one', async (accounts, message) => {
    expect(await startAndFail({ accounts })).toEqual({ code: 2, signal: null, output: '', errors: `${message}\n` });
  });
});

describe('A server with two accounts', () => {
  const alpha = { name: 'alpha', keys: [keyOf('alpha-1'), keyOf('alpha-2')] };
  const beta = { name: 'beta', keys: [keyOf('beta-1'), keyOf('beta-2')] };
  const accounts = [alpha, beta].map(({ name, keys }) => [name, ...keys].join(':')).join(';');

  it('accepts both keys of each account, and not those of the other', async () => {
    const server = await startChild({ accounts });
    for (const [own, other] of [
      [alpha, beta],
      [beta, alpha],
    ] as const) {
      const client = server.client(own);
      for (const key of own.keys) expect((await client.get('/Tables', { key })).status).toBe(200);
      for (const key of other.keys) {
        expectTableError(await client.get('/Tables', { key }), 403, 'AuthenticationFailed', { set: 'A1' });
      }
    }
    await server.stop('SIGTERM');
  });

  it('keeps the tables of its accounts separate, and does not serve the development account', async () => {
    const server = await startChild({ accounts });
    const [first, second] = [server.client(alpha), server.client(beta)];
    for (const client of [first, second]) {
      expect((await client.post('/Tables', { TableName: 'Shared' })).status).toBe(201);
    }
    expect((await first.post('/Shared', { PartitionKey: 'p', RowKey: 'r' })).status).toBe(201);
    expect((await second.get('/Shared()')).rows).toEqual([]);
    expect((await second.delete("/Tables('Shared')")).status).toBe(204);
    expect((await first.get('/Shared()')).rows).toHaveLength(1);

    const stranger = await server.client(developmentAccount).get('/Tables');
    expect(stranger.status).toBe(404);
    expect(stranger.body).toContain('it has: alpha, beta');
    await server.stop('SIGTERM');
  });
});
