import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explain } from '../../../src/commands/explain.js';
import { ConfigError, defaultConfig } from '../../../src/config.js';
import { configOf } from '../../support/parse-command.js';

describe('The options of a server', () => {
  it('mean the usual settings where there are none', () => {
    expect(configOf([])).toEqual({
      ...defaultConfig,
      accountsFile: undefined,
      notes: [],
      asked: { port: false, location: false, log: false },
    });
  });

  it.each([
    [['--tableHost', '0.0.0.0'], { host: '0.0.0.0' }],
    [['--tablePort', '0'], { port: 0 }],
    [['--tablePort', '65535'], { port: 65535 }],
    [['--tablePort=4711'], { port: 4711 }],
    [['--tablePort', '1', '--tablePort', '2'], { port: 2 }],
    [['--tableKeepAliveTimeout', '5'], { keepAliveMs: 5000 }],
    [['--tableHeadersTimeout', '6', '--tableBodyTimeout', '0'], { headersMs: 6000, bodyMs: 0 }],
    [['-l', 'folder'], { location: 'folder' }],
    [['--inMemoryPersistence'], { inMemory: true }],
    [['-s'], { silent: true }],
    [['-d', 'debug.log'], { debug: 'debug.log' }],
    [['--log', 'json'], { log: 'json' }],
    [['--cacheMb', '0', '--durability', 'fsync'], { cacheMb: 0, durability: 'fsync' }],
    [['--cert', 'c.pem', '--key', 'k.pem'], { tls: { kind: 'pem', cert: 'c.pem', key: 'k.pem' } }],
    [
      ['--cert', 'c.pem', '--key', 'k.pem', '--pwd', 'word'],
      { tls: { kind: 'pem', cert: 'c.pem', key: 'k.pem', password: 'word' } },
    ],
    [['--cert', 'c', '--pwd', 'word'], { tls: { kind: 'pfx', file: 'c', password: 'word' } }],
    [['--cert', 'c', '--pwd', ''], { tls: { kind: 'pfx', file: 'c', password: '' } }],
    [['--cert', 'c.pfx'], { tls: { kind: 'pfx', file: 'c.pfx', password: undefined } }],
    [['--cert', 'C.P12'], { tls: { kind: 'pfx', file: 'C.P12', password: undefined } }],
    [
      ['--https', '-l', 'data'],
      { tls: { kind: 'self-signed', folder: join('data', 'tabularium-certificate'), accounts: ['devstoreaccount1'] } },
    ],
    [['--https', '--oauth', 'basic'], { oauth: true }],
    [['--cert', 'c.pem', '--key', 'k.pem', '--oauth', 'basic'], { oauth: true }],
    [['-L', '--skipApiVersionCheck', '--disableTelemetry'], defaultConfig],
    [['--disableProductStyleUrl'], { pathFirst: true }],
  ])('%j', (args, settings) => {
    expect(configOf(args)).toMatchObject(settings);
  });

  it.each([
    [['--oauth', 'basic'], /--oauth basic needs HTTPS/],
    [['--oauth', 'full', '--https'], /--oauth cannot be 'full'. The only level is basic/],
    [['--cert', 'c.pem'], /--cert needs --key/],
    [['--key', 'k.pem'], /belong to a --cert/],
    [['--pwd', 'word'], /belong to a --cert/],
    [['--key', 'k.pem', '--https'], /belong to a --cert/],
    [['--inMemoryPersistence', '--location', 'data'], /leave out --location/],
    [
      ['--accountsFile', 'no-such-file'],
      /^The accounts in no-such-file cannot be read: it does not exist\. Pass a file of accounts/,
    ],
    [['--config', 'no-such-file'], /no-such-file cannot be read/],
  ])('cannot be %j', (args, message) => {
    expect(() => configOf(args)).toThrow(ConfigError);
    expect(() => configOf(args)).toThrow(message);
  });

  it('take the flags of other services, with one note', () => {
    const args = ['--blobHost', '0.0.0.0', '--queuePort=10001', '--extentMemoryLimit', '1024', '--tablePort', '1'];

    expect(configOf(args)).toMatchObject({
      port: 1,
      notes: [
        'Only tables are served, neither blobs nor queues; without effect: --blobHost, --queuePort, --extentMemoryLimit.',
      ],
    });
  });

  it('do not contain --unknown', () => {
    expect(() => configOf(['--unknown', 'x'])).toThrow(expect.objectContaining({ name: 'CommanderError' }));
  });
});

describe('A place in memory', () => {
  const memory = 'TABULARIUM_IN_MEMORY_PERSISTENCE';

  it.each([
    ['by flag comes before a location by variable', ['--inMemoryPersistence'], { TABULARIUM_LOCATION: '/data' }, true],
    ['by variable comes before a location by variable', [], { [memory]: 'true', TABULARIUM_LOCATION: '/data' }, true],
    ['by variable gives way to a location by flag', ['--location', 'data'], { [memory]: 'true' }, false],
  ])('%s', (_what, args, environment, inMemory) => {
    expect(configOf(args, environment).inMemory).toBe(inMemory);
  });
});

describe('explain', () => {
  const systemError = (code: string, syscall = 'listen') =>
    Object.assign(new Error(`${syscall} ${code}: 127.0.0.1:10002`), { code, syscall });

  it('says of a setting what is wrong, and no more', () => {
    expect(explain(new ConfigError('--x does not exist.'))).toBe('--x does not exist.');
  });

  it('keeps what the user wrote to one line', () => {
    expect(explain(new ConfigError("--hours 'a\nb\x1b[2J' is no time."))).toBe("--hours 'a\\nb\\x1b[2J' is no time.");
  });

  it('says of a taken port what to do', () => {
    expect(explain(systemError('EADDRINUSE'))).toMatch(/^listen EADDRINUSE: 127\.0\.0\.1:10002\. .*--tablePort/);
  });

  it.each([
    ['EADDRNOTAVAIL', 'listen', /no such address; pass a --tableHost/],
    ['ENOTFOUND', 'getaddrinfo', /no such address; pass a --tableHost/],
    ['EACCES', 'listen', /may not use the port; choose a --tablePort above 1023/],
    ['EACCES', 'open', /^open EACCES: 127\.0\.0\.1:10002$/],
    ['ENOENT', 'open', /^open ENOENT: 127\.0\.0\.1:10002$/],
    ['EISDIR', 'read', /^read EISDIR: 127\.0\.0\.1:10002$/],
  ])('says of %s from %s what is wrong in one line', (code, syscall, line) => {
    expect(explain(systemError(code, syscall))).toMatch(line);
  });

  it('says of an error nobody foresaw where it came from', () => {
    expect(explain(new Error('boom'))).toMatch(/^Error: boom\n\s+at /);
    expect(explain('boom')).toBe('boom');
  });
});
