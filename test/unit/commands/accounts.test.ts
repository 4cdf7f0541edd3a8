import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAccountsFile, watchAccountsFile } from '../../../src/commands/accounts-file.js';
import type { ConfigError } from '../../../src/config.js';
import { type Account, developmentAccount } from '../../../src/protocol/accounts.js';
import { configOf } from '../../support/parse-command.js';

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
  ])('%j names the accounts instead of the usual one', (text, accounts) => {
    expect(accountsOf(text)).toEqual(accounts);
  });

  it.each([
    [';', 'names no account'],
    ['first', ': the account first needs one or two keys'],
    ['first:a2V5MQ', ': a key of the account first is not base64'],
    ['first:a2V5MQ==;first:a2V5MQ==', ' names the account first twice'],
  ])('%j is told what is wrong with it, by its name', (text, message) => {
    expect(() => accountsOf(text)).toThrow(message);
    expect(() => accountsOf(text)).toThrow(variable);
  });

  it('does not print a key that is wrong', () => {
    expect(() => accountsOf('first:topsecretkey!')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('topsecret') }),
    );
  });
});

describe('TABULARIUM_ACCOUNTS', () => {
  it('comes before AZURITE_ACCOUNTS', () => {
    const environment = { AZURITE_ACCOUNTS: 'first:a2V5MQ==', TABULARIUM_ACCOUNTS: 'other:a2V5MQ==' };

    expect(configOf([], environment).accounts).toMatchObject([{ name: 'other' }]);
  });
});

describe('A file of accounts', () => {
  it.each([
    ['first:a2V5MQ==\nsecond:a2V5MQ==:a2V5Mg==\n', [first, second]],
    ['# who may come in\r\nfirst:a2V5MQ==\r\n\r\n  # second:a2V5MQ==\r\n', [first]],
    ['first:a2V5MQ==;second:a2V5MQ==:a2V5Mg==', [first, second]],
  ])('%j names accounts', async (text, accounts) => {
    await writeFile(file, text);

    expect(readAccountsFile(file)).toEqual(accounts);
    expect(configOf(['--accountsFile', file])).toMatchObject({ accounts, accountsFile: file });
  });

  it('that is wrong is named with what is wrong', async () => {
    await writeFile(file, 'first\n');

    expect(() => readAccountsFile(file)).toThrow(`${file}: the account first needs one or two keys`);
  });

  it.each([
    ['by flag comes before accounts by variable', true, { TABULARIUM_ACCOUNTS: 'other:a2V5MQ==' }, 'first'],
    ['by flag comes before AZURITE_ACCOUNTS', true, { AZURITE_ACCOUNTS: 'other:a2V5MQ==' }, 'first'],
    ['left out leaves the variable', false, { TABULARIUM_ACCOUNTS: 'other:a2V5MQ==' }, 'other'],
  ])('%s', async (_what, byFlag, environment, name) => {
    await writeFile(file, 'first:a2V5MQ==');

    expect(configOf(byFlag ? ['--accountsFile', file] : [], environment).accounts).toMatchObject([{ name }]);
  });
});

describe('A file of accounts that is watched', () => {
  type News = readonly Account[] | ConfigError;

  /** The news of the file, one at a time. */
  function listen(known: readonly Account[]): { next: () => Promise<News>; stop: () => void } {
    const told: News[] = [];
    let hear = () => {};
    const tell = (news: News) => {
      told.push(news);
      hear();
    };
    const stop = watchAccountsFile(file, known, { changed: tell, failed: tell }, 2);
    const next = async () => {
      if (told.length === 0) await new Promise<void>((resolve) => (hear = resolve));
      return told.shift() ?? [];
    };
    return { next, stop };
  }

  it('tells of accounts that are new, of a fault once, and of its mend', async () => {
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

  it('tells of what changed between its reading and the first look', async () => {
    await writeFile(file, 'second:a2V5MQ==:a2V5Mg==');
    const { next, stop } = listen([first]);

    expect(await next()).toEqual([second]);
    stop();
  });
});
