import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { ServiceClient } from '../../support/clients/service-client.js';

const account = (name: string, key = 'a2V5') => ({ name, keys: [key] });

describe('Accounts', () => {
  it('remembers how the last 1024 of them ended', () => {
    const accounts = new Accounts([account('kept')]);
    for (let at = 0; at < 1026; at++) {
      accounts.add(account(`b${at}`));
      accounts.remove(`b${at}`, `end ${at}`);
    }
    accounts.remove('kept');
    accounts.remove('unknown', 'never');
    expect(['b1', 'b2', 'b1025', 'kept', 'unknown'].map((name) => accounts.endingOf(name))).toEqual([
      ...[undefined, 'end 2', 'end 1025', undefined, undefined],
    ]);
  });

  it('has the accounts of the settings in their order', () => {
    const accounts = new Accounts([account('b'), account('A')]);

    expect([...accounts.names]).toEqual(['b', 'A']);
    expect(accounts.list()).toEqual([account('b'), account('A')]);
    expect(accounts.keysOf('b')).toHaveLength(1);
    expect(accounts.keysOf('a')).toEqual([]);
    expect([accounts.hasLowerName('a'), accounts.hasLowerName('A')]).toEqual([true, false]);
  });

  it('includes an added account until it is removed', () => {
    const accounts = new Accounts([account('a')]);
    const { names } = accounts;

    accounts.add(account('branch'));
    expect([...names]).toEqual(['a', 'branch']);

    expect([accounts.remove('branch'), accounts.remove('branch')]).toEqual([true, false]);
    expect([...names]).toEqual(['a']);
    expect(accounts.keysOf('branch')).toEqual([]);
  });

  it('rejects an account with a name that it already has', () => {
    const accounts = new Accounts([account('a')]);

    expect(() => accounts.add(account('a', 'b3RoZXI='))).toThrow('There is an account a already.');
    expect([...accounts.names]).toEqual(['a']);
  });

  it('keeps an added account when the accounts of the settings are replaced', () => {
    const accounts = new Accounts([account('a'), account('b')]);
    accounts.add(account('branch'));

    accounts.replace([account('c')]);
    expect([...accounts.names]).toEqual(['c', 'branch']);

    accounts.replace([account('branch', 'b3RoZXI=')]);
    accounts.replace([account('d')]);
    expect([...accounts.names]).toEqual(['d']);
  });

  it('has a higher revision after each change, and only then', () => {
    const accounts = new Accounts([]);
    const revisions = [accounts.revision];
    for (const change of [() => accounts.add(account('a')), () => accounts.replace([]), () => accounts.remove('a')]) {
      change();
      revisions.push(accounts.revision);
    }

    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));

    accounts.remove('unknown');
    expect(accounts.revision).toBe(revisions.at(-1));
  });
});

it('A request may be signed with the key of an account that was added while the server was running', async () => {
  const server = await startServer({ ...defaultConfig, port: 0, inMemory: true }, pino({ level: 'silent' }));
  const added = { ...developmentAccount, name: 'branch' };
  const client = new ServiceClient(() => ({
    url: server.url,
    base: `${server.url}/${added.name}`,
    account: added,
    takeLoggedErrors: () => [],
    close: () => server.close(),
  }));
  try {
    const before = await client.get('/Tables');
    server.accounts.add(added);
    const during = await client.get('/Tables');
    server.accounts.remove(added.name);
    const after = await client.get('/Tables');

    expect([before.status, during.status, after.status]).toEqual([404, 200, 404]);
  } finally {
    client.close();
    await server.close();
  }
});
