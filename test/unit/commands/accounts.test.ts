import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAccountsFile, watchAccountsFile } from '../../../src/commands/options/accounts-file.js';
import type { ConfigError } from '../../../src/config.js';
import { type Account, developmentAccount } from '../../../src/protocol/access/accounts.js';
import { configOf } from '../../support/clients/parse-command.js';

const first = { name: 'first', keys: ['a2V5MQ=='] };
const second = { name: 'second', keys: ['a2V5MQ==', 'a2V5Mg=='] };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabularium-accounts-'));
  file = join(folder, 'accounts');
});
afterEach(() => rm(folder, { recursive: true }));

describe.each(['AZURITE_ACCOUNTS', 'TABULARIUM_ACCOUNTS'])('%s', (variable) => {
  const accountsOf = (text: string) => configOf([], { [variable]: text }).accounts;

  it.each([
    ['first:a2V5MQ==', [first]],
    [' first : a2V5MQ== ; second:a2V5MQ==:a2V5Mg==; ', [first, second]],
    ['', [developmentAccount]],
  ])('%j defines the accounts, or leaves the default one if it is empty', (text, accounts) => {
    expect(accountsOf(text)).toEqual(accounts);
  });

  it.each([
    [';', 'names no account'],
    ['first', ': the account first needs one or two keys'],
    ['first:a2V5MQ', ': a key of the account first is not base64'],
    ['first:a2V5MQ==;first:a2V5MQ==', ' names the account first twice'],
  ])('%j is rejected with the name of the variable and the reason', (text, message) => {
    expect(() => accountsOf(text)).toThrow(message);
    expect(() => accountsOf(text)).toThrow(variable);
  });

  it('does not print an invalid key', () => {
    expect(() => accountsOf('first:topsecretkey!')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('topsecret') }),
    );
  });
});

describe('TABULARIUM_ACCOUNTS', () => {
  it('takes precedence over AZURITE_ACCOUNTS', () => {
    const environment = { AZURITE_ACCOUNTS: 'first:a2V5MQ==', TABULARIUM_ACCOUNTS: 'other:a2V5MQ==' };

    expect(configOf([], environment).accounts).toMatchObject([{ name: 'other' }]);
  });
});

describe('A file of accounts', () => {
  it.each([
    ['first:a2V5MQ==\nsecond:a2V5MQ==:a2V5Mg==\n', [first, second]],
    ['# test accounts\r\nfirst:a2V5MQ==\r\n\r\n  # second:a2V5MQ==\r\n', [first]],
    ['first:a2V5MQ==;second:a2V5MQ==:a2V5Mg==', [first, second]],
  ])('%j defines accounts', async (text, accounts) => {
    await writeFile(file, text);

    expect(readAccountsFile(file)).toEqual(accounts);
    expect(configOf(['--accountsFile', file])).toMatchObject({ accounts, accountsFile: file });
  });

  it('is rejected with its path and the reason', async () => {
    await writeFile(file, 'first\n');

    expect(() => readAccountsFile(file)).toThrow(`${file}: the account first needs one or two keys`);
  });

  it.each([
    ['by flag takes precedence over accounts by variable', true, { TABULARIUM_ACCOUNTS: 'other:a2V5MQ==' }, 'first'],
    ['by flag takes precedence over AZURITE_ACCOUNTS', true, { AZURITE_ACCOUNTS: 'other:a2V5MQ==' }, 'first'],
    ['is not needed for accounts by variable', false, { TABULARIUM_ACCOUNTS: 'other:a2V5MQ==' }, 'other'],
  ])('%s', async (_what, byFlag, environment, name) => {
    await writeFile(file, 'first:a2V5MQ==');

    expect(configOf(byFlag ? ['--accountsFile', file] : [], environment).accounts).toMatchObject([{ name }]);
  });
});

describe('watchAccountsFile', () => {
  type Report = readonly Account[] | ConfigError;

  /** Watches the file. `next` resolves with its next change or error. */
  function listen(known: readonly Account[]): { next: () => Promise<Report>; stop: () => void } {
    const reports: Report[] = [];
    let wake = () => {};
    const report = (one: Report) => {
      reports.push(one);
      wake();
    };
    const stop = watchAccountsFile(file, known, { changed: report, failed: report }, 2);
    const next = async () => {
      if (reports.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return reports.shift() ?? [];
    };
    return { next, stop };
  }

  it('reports new accounts, an error once, and the repaired file', async () => {
    await writeFile(file, 'first:a2V5MQ==');
    const { next, stop } = listen([first]);

    await writeFile(`${file}.new`, 'first:a2V5MQ==\nsecond:a2V5MQ==:a2V5Mg==');
    await rename(`${file}.new`, file);
    expect(await next()).toEqual([first, second]);

    await rm(file);
    expect(await next()).toMatchObject({ name: 'ConfigError', message: expect.stringContaining('cannot be read') });

    await writeFile(`${file}.new`, 'second:a2V5MQ==:a2V5Mg==');
    await rename(`${file}.new`, file);
    expect(await next()).toEqual([second]);
    stop();
  });

  it('reports a change between the first read and the first poll', async () => {
    await writeFile(file, 'second:a2V5MQ==:a2V5Mg==');
    const { next, stop } = listen([first]);

    expect(await next()).toEqual([second]);
    stop();
  });
});
