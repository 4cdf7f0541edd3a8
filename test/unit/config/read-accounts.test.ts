import { describe, expect, it } from 'vitest';
import { ConfigError, readAccounts } from '../../../src/config.js';
import { defaultConfig } from '../../../src/settings/config.js';

describe('AZURITE_ACCOUNTS', () => {
  it('lists accounts with one or two keys each', () => {
    expect(readAccounts('one:a2V5MQ==;two:a2V5MQ==:a2V5Mg==')).toEqual([
      { name: 'one', keys: ['a2V5MQ=='] },
      { name: 'two', keys: ['a2V5MQ==', 'a2V5Mg=='] },
    ]);
  });

  it('may end with a semicolon and contain blanks', () => {
    expect(readAccounts(' one : a2V5MQ== ; ')).toEqual([{ name: 'one', keys: ['a2V5MQ=='] }]);
  });

  it.each([
    ['', 'AZURITE_ACCOUNTS names no account.'],
    [';;', 'AZURITE_ACCOUNTS names no account.'],
    ['one', 'AZURITE_ACCOUNTS: the account one needs one or two keys, as in one:key1:key2.'],
    ['one:a:b:c', 'AZURITE_ACCOUNTS: the account one needs one or two keys, as in one:key1:key2.'],
    ['one:', 'AZURITE_ACCOUNTS: a key of the account one is not base64.'],
    ['one:abc', 'AZURITE_ACCOUNTS: a key of the account one is not base64.'],
    ['one:ab!=', 'AZURITE_ACCOUNTS: a key of the account one is not base64.'],
    [':a2V5', "AZURITE_ACCOUNTS: '' cannot be the name of an account. Use letters, digits and dashes."],
    ['a/b:a2V5', "AZURITE_ACCOUNTS: 'a/b' cannot be the name of an account. Use letters, digits and dashes."],
    ['_x:a2V5', "AZURITE_ACCOUNTS: '_x' cannot be the name of an account. Use letters, digits and dashes."],
    ['a-secondary:a2V5', "AZURITE_ACCOUNTS: 'a-secondary' ends like a secondary endpoint. Choose another name."],
    ['one:a2V5;two:a2V5;one:a2V5', 'AZURITE_ACCOUNTS names the account one twice.'],
  ])('is rejected if it is %j', (text, message) => {
    expect(() => readAccounts(text)).toThrow(new ConfigError(message));
  });

  it('defaults to the development account of the SDKs', () => {
    expect(defaultConfig).toMatchObject({
      host: '127.0.0.1',
      port: 10002,
      accounts: [
        {
          name: 'devstoreaccount1',
          keys: ['Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='],
        },
      ],
    });
  });
});
