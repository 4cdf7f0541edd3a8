import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explain } from '../../../src/commands/explain.js';
import { ConfigError, defaultConfig } from '../../../src/config.js';
import { developmentAccount } from '../../../src/protocol/accounts.js';
import { configOf } from './parse-command.js';

describe('The options of a server', () => {
  it('mean the usual settings where there are none', () => {
    expect(configOf([])).toEqual(defaultConfig);
  });

  it.each([
    [['--tableHost', '0.0.0.0'], { host: '0.0.0.0' }],
    [['--tablePort', '0'], { port: 0 }],
    [['--tablePort', '65535'], { port: 65535 }],
    [['--tableKeepAliveTimeout', '5'], { keepAliveMs: 5000 }],
    [['-l', 'folder'], { location: 'folder' }],
    [['--inMemoryPersistence'], { inMemory: true }],
    [['-s'], { silent: true }],
    [['-d', 'debug.log'], { debug: 'debug.log' }],
    [['--cert', 'c.pem', '--key', 'k.pem'], { tls: { kind: 'pem', cert: 'c.pem', key: 'k.pem' } }],
    [['--cert', 'c', '--pwd', 'word'], { tls: { kind: 'pfx', file: 'c', password: 'word' } }],
    [['--cert', 'c.pfx'], { tls: { kind: 'pfx', file: 'c.pfx', password: undefined } }],
    [['--cert', 'C.P12'], { tls: { kind: 'pfx', file: 'C.P12', password: undefined } }],
    [
      ['--https', '-l', 'data'],
      { tls: { kind: 'self-signed', folder: join('data', 'tabularium-certificate'), accounts: ['devstoreaccount1'] } },
    ],
    [['--https', '--oauth', 'basic'], { oauth: true }],
    [['--cert', 'c.pem', '--key', 'k.pem', '--oauth', 'basic'], { oauth: true }],
    [['-L', '--skipApiVersionCheck'], defaultConfig],
  ])('%j', (args, settings) => {
    expect(configOf(args)).toMatchObject(settings);
  });

  it.each([
    [['--oauth', 'basic'], /--oauth basic needs HTTPS/],
    [['--oauth', 'full', '--https'], /--oauth full does not exist/],
    [['--cert', 'c.pem'], /--cert needs --key/],
    [['--key', 'k.pem'], /belong to a --cert/],
    [['--pwd', 'word'], /belong to a --cert/],
    [['--key', 'k.pem', '--https'], /belong to a --cert/],
    [['--inMemoryPersistence', '--location', 'data'], /leave out --location/],
  ])('cannot be %j', (args, message) => {
    expect(() => configOf(args)).toThrow(ConfigError);
    expect(() => configOf(args)).toThrow(message);
  });

  it.each([
    ['--tablePort', '65536'],
    ['--tablePort', '-1'],
    ['--tablePort', 'abc'],
    ['--tablePort', ''],
    ['--tablePort', '1.5'],
    ['--tableKeepAliveTimeout', 'long'],
    ['--tableKeepAliveTimeout', '-1'],
    ['--unknown', 'x'],
  ])('cannot be %s %s', (option, value) => {
    expect(() => configOf([option, value])).toThrow(expect.objectContaining({ name: 'CommanderError' }));
  });
});

describe('AZURITE_ACCOUNTS', () => {
  const accountsOf = (text: string) => configOf([], { AZURITE_ACCOUNTS: text }).accounts;

  it.each([
    ['first:a2V5MQ==', [{ name: 'first', keys: ['a2V5MQ=='] }]],
    ['first:a2V5MQ==:a2V5Mg==', [{ name: 'first', keys: ['a2V5MQ==', 'a2V5Mg=='] }]],
    [
      ' first : a2V5MQ== ; second:a2V5Mg==; ',
      [
        { name: 'first', keys: ['a2V5MQ=='] },
        { name: 'second', keys: ['a2V5Mg=='] },
      ],
    ],
    ['', [developmentAccount]],
  ])('%j names the accounts instead of the usual one', (text, accounts) => {
    expect(accountsOf(text)).toEqual(accounts);
  });

  it.each([
    [';', /names no account/],
    ['first', /needs one or two keys/],
    ['first:', /not base64/],
    ['first:a2V5', undefined],
    ['first:a2V5MQ', /not base64/],
    ['first:no base64', /not base64/],
    ['first:a2V5MQ==:a2V5MQ==:a2V5MQ==', /needs one or two keys/],
    ['fi rst:a2V5MQ==', /cannot be an account's name/],
    [':a2V5MQ==', /cannot be an account's name/],
    ['first:a2V5MQ==;first:a2V5MQ==', /twice/],
    ['first-secondary:a2V5MQ==', /secondary/],
  ])('%j is told what is wrong with it', (text, message) => {
    if (message) expect(() => accountsOf(text)).toThrow(message);
    else expect(accountsOf(text)).toHaveLength(1);
  });

  it('does not print a key that is wrong', () => {
    expect(() => accountsOf('first:topsecretkey!')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('topsecret') }),
    );
  });
});

describe('explain', () => {
  const systemError = (code: string) => Object.assign(new Error(`listen ${code}: 127.0.0.1:10002`), { code });

  it('says of a setting what is wrong, and no more', () => {
    expect(explain(new ConfigError('--x does not exist.'))).toBe('--x does not exist.');
  });

  it('says of a taken port what to do', () => {
    expect(explain(systemError('EADDRINUSE'))).toMatch(/^listen EADDRINUSE: 127\.0\.0\.1:10002\. .*--tablePort/);
  });

  it.each(['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'ENOENT'])('says of %s what the system said', (code) => {
    expect(explain(systemError(code))).toBe(`listen ${code}: 127.0.0.1:10002`);
  });

  it('says of an error nobody foresaw where it came from', () => {
    expect(explain(new Error('boom'))).toMatch(/^Error: boom\n\s+at /);
    expect(explain('boom')).toBe('boom');
  });
});
