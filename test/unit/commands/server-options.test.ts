import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/commands/describe-failure.js';
import { ConfigError } from '../../../src/config.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { configOf } from '../../support/clients/parse-command.js';

describe('readConfig', () => {
  it('returns the defaults without options', () => {
    expect(configOf([])).toEqual({
      ...defaultConfig,
      accountsFile: undefined,
      server: undefined,
      notes: [],
      flags: [],
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
  ])('reads %j', (args, settings) => {
    expect(configOf(args)).toMatchObject(settings);
  });

  it.each([
    [['--oauth', 'basic'], /--oauth basic needs HTTPS/],
    [['--oauth', 'full', '--https'], /--oauth must be one of: basic; got 'full'\./],
    [['--cert', 'c.pem'], /--cert needs --key/],
    [['--key', 'k.pem'], /--key and --pwd need --cert/],
    [['--pwd', 'word'], /--key and --pwd need --cert/],
    [['--key', 'k.pem', '--https'], /--key and --pwd need --cert/],
    [['--inMemoryPersistence', '--location', 'data'], /Leave out --location/],
    [
      ['--accountsFile', 'no-such-file'],
      /^The accounts in no-such-file cannot be read: it does not exist\. Pass a file of accounts/,
    ],
    [['--config', 'no-such-file'], /no-such-file cannot be read/],
  ])('rejects %j', (args, message) => {
    expect(() => configOf(args)).toThrow(ConfigError);
    expect(() => configOf(args)).toThrow(message);
  });

  it('accepts the flags of other services, with one note', () => {
    const args = ['--blobHost', '0.0.0.0', '--queuePort=10001', '--extentMemoryLimit', '1024', '--tablePort', '1'];

    expect(configOf(args)).toMatchObject({
      port: 1,
      notes: [
        'Only tables are served, not blobs or queues. These flags have no effect: --blobHost, --queuePort, --extentMemoryLimit.',
      ],
    });
  });

  it('rejects an unknown option', () => {
    expect(() => configOf(['--unknown', 'x'])).toThrow(expect.objectContaining({ name: 'CommanderError' }));
  });
});

describe('inMemoryPersistence', () => {
  const memory = 'TABULARIUM_IN_MEMORY_PERSISTENCE';

  it.each([
    [
      'by flag takes precedence over a location by variable',
      ['--inMemoryPersistence'],
      { TABULARIUM_LOCATION: '/data' },
      true,
    ],
    [
      'by variable takes precedence over a location by variable',
      [],
      { [memory]: 'true', TABULARIUM_LOCATION: '/data' },
      true,
    ],
    ['by variable is ignored with a location by flag', ['--location', 'data'], { [memory]: 'true' }, false],
  ])('%s', (_what, args, environment, inMemory) => {
    expect(configOf(args, environment).inMemory).toBe(inMemory);
  });

  const kept = join('data', 'tabularium-certificate');
  it.each([
    ['by flag, with a location by flag', ['--https', '-l', 'data'], {}, kept],
    ['by variable, with a location by variable', ['--https'], { [memory]: 'true', TABULARIUM_LOCATION: 'data' }, kept],
    ['by flag, which overrides a location by variable', ['--https'], { TABULARIUM_LOCATION: 'data' }, undefined],
    ['without a location', ['--https'], {}, undefined],
  ])('%s: the certificate of the server is kept in %s', (_what, args, environment, folder) => {
    const flags = memory in environment ? args : ['--inMemoryPersistence', ...args];

    expect(configOf(flags, environment)).toMatchObject({ inMemory: true, tls: { kind: 'self-signed', folder } });
  });

  it('does not need a location for a certificate of the user', () => {
    const files = ['--cert', 'c.pem', '--key', 'k.pem'];

    expect(() => configOf(['--inMemoryPersistence', '--https', '-l', 'data', ...files])).toThrow(
      'Leave out --location',
    );
  });
});

describe('database', () => {
  const variable = 'TABULARIUM_DATABASE';
  const url = 'postgres://user@db/tables';
  const database = { url, schema: 'tabularium', connections: 10 };
  const memory = 'TABULARIUM_IN_MEMORY_PERSISTENCE';

  it.each([
    ['by flag', ['--database', url], {}, database],
    ['by variable', [], { [variable]: url }, database],
    [
      'with a schema and connections',
      ['--database', url, '--databaseSchema', 'own', '--databaseConnections', '20'],
      {},
      { url, schema: 'own', connections: 20 },
    ],
    [
      'by flag takes precedence over a location by variable',
      ['--database', url],
      { TABULARIUM_LOCATION: 'a' },
      database,
    ],
    [
      'by variable takes precedence over a location by variable',
      [],
      { [variable]: url, TABULARIUM_LOCATION: 'a' },
      database,
    ],
    ['by variable is ignored with a location by flag', ['--location', 'a'], { [variable]: url }, undefined],
    ['by variable is ignored in memory by flag', ['--inMemoryPersistence'], { [variable]: url }, undefined],
    ['by flag takes precedence over memory by variable', ['--database', url], { [memory]: 'true' }, database],
  ])('%s', (_what, args, environment, expected) => {
    expect(configOf(args, environment).database).toEqual(expected);
  });

  it.each([
    [['--database', url, '--location', 'data'], {}, /Leave out --location/],
    [['--database', url, '--inMemoryPersistence'], {}, /--database and --inMemoryPersistence exclude each other/],
    [[], { [variable]: url, [memory]: 'true' }, /exclude each other/],
    [['--database', 'mysql://db/x'], {}, /^--database must be the URL of a database, as postgres:[^;]*$/],
    [['--database', url, '--databaseSchema', 'a"b'], {}, /letters, digits and underscores/],
    [['--database', url, '--databaseConnections', '3'], {}, /must be at least 4; got 3/],
  ])('rejects %j with %j', (args, environment, message) => {
    expect(() => configOf(args, environment)).toThrow(ConfigError);
    expect(() => configOf(args, environment)).toThrow(message);
  });

  it('rejects a password by flag, because other users can read command lines, and takes one by variable', () => {
    const secret = 'postgres://user:s3cret@db/tables';
    expect(() => configOf(['--database', secret])).toThrow(/must not contain a password/);
    expect(configOf([], { [variable]: secret }).database?.url).toBe(secret);
  });

  it('never shows a value in an error, because it may hold a password', () => {
    const message = (environment: Record<string, string>) => {
      try {
        configOf([], environment);
        return '';
      } catch (error) {
        return describeFailure(error);
      }
    };
    expect(message({ [variable]: 'postgres://user:s3cret@db:port/tables' })).toMatch(
      /^TABULARIUM_DATABASE must be the URL of a database/,
    );
    expect(message({ [variable]: 'postgres://user:s3cret@db:port/tables' })).not.toContain('s3cret');
  });
});

describe('explain', () => {
  const systemError = (code: string, syscall = 'listen') =>
    Object.assign(new Error(`${syscall} ${code}: 127.0.0.1:10002`), { code, syscall });

  it('prints only the message of a ConfigError', () => {
    expect(describeFailure(new ConfigError('--x does not exist.'))).toBe('--x does not exist.');
  });

  it('escapes control characters, so that the message is one line', () => {
    expect(describeFailure(new ConfigError("--hours 'a\nb\x1b[2J' is not a number."))).toBe(
      "--hours 'a\\nb\\x1b[2J' is not a number.",
    );
  });

  it('names the option to change for a port in use', () => {
    expect(describeFailure(systemError('EADDRINUSE'))).toMatch(
      /^listen EADDRINUSE: 127\.0\.0\.1:10002\. .*--tablePort/,
    );
  });

  it.each([
    ['EADDRNOTAVAIL', 'listen', /does not have the address\. Pass another --tableHost/],
    ['ENOTFOUND', 'getaddrinfo', /does not have the address\. Pass another --tableHost/],
    ['EACCES', 'listen', /may not use the port\. Choose a --tablePort above 1023/],
    ['EACCES', 'open', /^open EACCES: 127\.0\.0\.1:10002$/],
    ['ENOENT', 'open', /^open ENOENT: 127\.0\.0\.1:10002$/],
    ['EISDIR', 'read', /^read EISDIR: 127\.0\.0\.1:10002$/],
  ])('describes %s from %s in one line', (code, syscall, line) => {
    expect(describeFailure(systemError(code, syscall))).toMatch(line);
  });

  it('prints the stack of an unexpected error', () => {
    expect(describeFailure(new Error('boom'))).toMatch(/^Error: boom\n\s+at /);
    expect(describeFailure('boom')).toBe('boom');
  });
});

describe('seed, import and exportOnExit', () => {
  it.each([
    [['--seed', 'a', '--seed', 'b'], {}, { seeds: ['a', 'b'] }],
    [[], { TABULARIUM_SEED: ['a', 'b'].join(delimiter) }, { seeds: ['a', 'b'] }],
    [['--import', 'a'], {}, { seeds: [], importPath: 'a', exportPath: undefined }],
    [['--import', 'a', '--exportOnExit'], {}, { importPath: 'a', exportPath: 'a' }],
    [['--exportOnExit', 'b'], {}, { importPath: undefined, exportPath: 'b' }],
    [['--import', 'a'], { TABULARIUM_EXPORT_ON_EXIT: 'false' }, { exportPath: undefined }],
  ])('are %j with %j', (args, environment, expected) => {
    expect(configOf(args, environment)).toMatchObject(expected);
  });

  it.each([
    [['--seed', 'a', '--import', 'b'], '--seed and --import exclude each other.'],
    [['--exportOnExit'], '--exportOnExit needs a path, or --import with one.'],
    [['--seed', ''], '--seed (an item of the list) must be the path of a file or a folder'],
  ])('reject %j', (args, message) => {
    expect(() => configOf(args)).toThrow(message);
  });
});
