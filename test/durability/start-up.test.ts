import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/accounts.js';
import { eachInFolder, startAndFail, startChild } from '../support/child-server.js';
import { expectTableError } from '../support/expect-error.js';

let location: string;
eachInFolder((folder) => {
  location = folder;
});

const keyOf = (text: string) => Buffer.from(text.repeat(8)).toString('base64');

describe('a server that starts', () => {
  it('says where it listens, with the port that it was given', async () => {
    const server = await startChild();
    expect(server.readyLine).toMatch(
      /^Tabularium Table service is successfully listening at http:\/\/127\.0\.0\.1:[1-9]\d*$/,
    );
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect((await server.stop('SIGTERM')).output).toBe(`${server.readyLine}\n`);
  });

  it('takes the port that it is told', async () => {
    const first = await startChild();
    await first.stop('SIGTERM');
    const port = Number(new URL(first.url).port);
    const second = await startChild({ port });
    expect(second.url).toBe(first.url);
    await second.stop('SIGTERM');
  });

  it('leaves a folder alone that another process uses, and says so', async () => {
    const first = await startChild({ location });
    expect(await startAndFail({ location })).toEqual({
      code: 1,
      signal: null,
      output: '',
      errors: `The data in ${join(location, 'tabularium-data')} is in use by another process. Stop it, or choose another --location.\n`,
    });
    expect((await first.client().get('/Tables')).status).toBe(200);
    await first.stop('SIGTERM');
  });

  it('says when its port is taken, and lets its folder go', async () => {
    const first = await startChild();
    const port = Number(new URL(first.url).port);
    expect(await startAndFail({ location, port })).toEqual({
      code: 1,
      signal: null,
      output: '',
      errors: `listen EADDRINUSE: address already in use 127.0.0.1:${port}. Another server uses the port; stop it, or choose another --tablePort.\n`,
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
  ])('refuses the accounts %j and says which is at fault', async (accounts, message) => {
    expect(await startAndFail({ accounts })).toEqual({ code: 1, signal: null, output: '', errors: `${message}\n` });
  });
});

describe('a server with two accounts', () => {
  const alpha = { name: 'alpha', keys: [keyOf('alpha-1'), keyOf('alpha-2')] };
  const beta = { name: 'beta', keys: [keyOf('beta-1'), keyOf('beta-2')] };
  const accounts = [alpha, beta].map(({ name, keys }) => [name, ...keys].join(':')).join(';');

  it('takes both keys of each, and none of the other', async () => {
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

  it('keeps their tables apart, and does not know the development account', async () => {
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
