import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TableServiceClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { makePlace, type Place } from '../support/programs/place.js';
import { runLine } from '../support/programs/run-line.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('azurite', 'azurite-table', 'tabularium');
});
afterEach(() => place.clear());

/** Replaces the emulators' default port with a free one, so that an emulator can run at the same time. */
const freePort = { TABULARIUM_TABLE_PORT: '0' };

const allHosts = ['--blobHost', '0.0.0.0', '--queueHost', '0.0.0.0', '--tableHost', '0.0.0.0'];

/** Command lines by which other programs start Azurite, without the table port, which is always the default. */
const commandLines: readonly (readonly [source: string, program: string, args: readonly string[]])[] = [
  ['Azurite’s own image', 'azurite', ['-l', '/data', ...allHosts]],
  ['Testcontainers for Java and Go', 'azurite', allHosts],
  [
    'Testcontainers for .NET, in memory',
    'azurite',
    [...allHosts, '--blobPort', '10000', '--queuePort', '10001', '--inMemoryPersistence', '--extentMemoryLimit', '64'],
  ],
  [
    'Testcontainers for Node.js',
    'azurite',
    [...allHosts, '--blobPort', '10000', '--queuePort', '10001', '--skipApiVersionCheck', '--inMemoryPersistence'],
  ],
  ['.NET Aspire', 'azurite', ['-l', '/data', ...allHosts, '--skipApiVersionCheck']],
  ['Visual Studio', 'azurite', ['--location', '/data', '--debug', '/data/debug.log', '--skipApiVersionCheck']],
  [
    'workflows and compose files',
    'azurite-table',
    [
      ...['-l', '/data', '--tableHost', '0.0.0.0', '--skipApiVersionCheck'],
      ...['--loose', '--silent', '--disableProductStyleUrl', '--disableTelemetry'],
    ],
  ],
  [
    'scripts that pass values with equal signs',
    'azurite-table',
    ['--location=/data', '--tableHost=127.0.0.1', '-s', '-L'],
  ],
  [
    'scripts that pass a value to switches',
    'azurite-table',
    [
      '--inMemoryPersistence',
      '--loose=true',
      '--skipApiVersionCheck=true',
      '--disableTelemetry=True',
      '--silent=false',
    ],
  ],
  ['scripts with words that Azurite ignores', 'azurite', ['--silent', 'true', '-l', '/data']],
];

describe.each(commandLines)('The command line of %s', (_source, program, args) => {
  it('starts, prints the ready lines, serves an SDK, and stops', async () => {
    const own = args.map((arg) => arg.replace('/data', place.folder));
    const server = place.start(program, own, freePort);

    const host = args.some((arg) => arg.endsWith('0.0.0.0')) ? '0.0.0.0' : '127.0.0.1';
    const [, address] = await server.until(/^Azurite Table service is successfully listening at http:\/\/(\S+)\n/m);
    await server.until(/^Azurite Table service successfully started on \S+:[1-9]\d*\n/m);
    expect(address).toMatch(new RegExp(`^${host}:[1-9]\\d*$`));

    const client = TableServiceClient.fromConnectionString(
      `DefaultEndpointsProtocol=http;AccountName=${developmentAccount.name};AccountKey=${developmentAccount.keys[0]};` +
        `TableEndpoint=http://${address?.replace('0.0.0.0', '127.0.0.1')}/${developmentAccount.name};`,
      { allowInsecureConnection: true },
    );
    await client.createTable('Dropped');

    server.kill('SIGTERM');
    const { code, output, errors } = await server.ended;
    expect({ code, errors }).toMatchObject({ code: 0, errors: '' });
    expect(output).toMatch(
      /Azurite Table service is closing\.\.\.\n[\s\S]*Azurite Table service successfully closed\n$/,
    );
    const isKept = args.some((arg) => arg.includes('/data'));
    expect(existsSync(join(place.folder, 'tabularium-data'))).toBe(isKept || !args.includes('--inMemoryPersistence'));
  });
});

describe('The program under an Azurite name', () => {
  it('prints lines in the order of Azurite', async () => {
    const server = place.start('azurite-table', ['-s'], freePort);
    await server.until(/started on/);
    server.kill('SIGINT');

    const { code, output } = await server.ended;
    expect(code).toBe(0);
    expect(output.replaceAll(/:\d+$/gm, ':PORT').split('\n')).toEqual([
      'Azurite Table service is starting on 127.0.0.1:PORT',
      'Tabularium Table service is successfully listening at http://127.0.0.1:PORT',
      'Azurite Table service is successfully listening at http://127.0.0.1:PORT',
      'Azurite Table service successfully started on 127.0.0.1:PORT',
      'Azurite Table service is closing...',
      'Azurite Table service successfully closed',
      '',
    ]);
  });

  it('prints once that blobs and queues are not served', async () => {
    const server = place.start('azurite', allHosts, freePort);
    await server.until(/started on/);
    server.kill('SIGTERM');

    const { output } = await server.ended;
    expect(output.match(/^Only tables are served.*$/gm)).toEqual([
      'Only tables are served, not blobs or queues. These flags have no effect: --blobHost, --queueHost.',
    ]);
  });

  it('logs each request, including the last one before it stops', async () => {
    const server = place.start('azurite-table', [], freePort);
    const [, url] = await server.until(/started on (\S+)/);
    const answer = await fetch(`http://${url}/devstoreaccount1/Tables`);
    server.kill('SIGTERM');

    const { output } = await server.ended;
    const id = answer.headers.get('x-ms-request-id');
    expect(output).toMatch(
      new RegExp(String.raw`^\d\d:\d\d:\d\d\.\d{3} ${answer.status} GET /devstoreaccount1/Tables .* ms ${id}$`, 'm'),
    );
  });
});

describe('azurite-table with a version or help option', () => {
  it.each([
    ['--version', /^\d+\.\d+\.\d+\S*\n$/],
    ['-v', /^\d+\.\d+\.\d+\S*\n$/],
    ['version', /^\d+\.\d+\.\d+\S*\n$/],
    ['--help', /^Usage: azurite-table /],
    ['-h', /^Usage: azurite-table /],
    ['help', /^Usage: azurite-table /],
  ])('%s prints the answer without starting a server', async (word, answer) => {
    const { code, output } = await place.start('azurite-table', [word], freePort).ended;

    expect(code).toBe(0);
    expect(output).toMatch(answer);
  });
});

describe('The program under its own name', () => {
  it.each([
    [['--tablePrt', '1'], /unknown option '--tablePrt'\n\(Did you mean --tablePort\?\)/],
    [['--table-port', '1'], /unknown option '--table-port'\n\(Did you mean --tablePort\?\)/],
    [['strat'], /There is no command 'strat'\. Did you mean 'start'\?/],
    [['serve'], /There is no command 'serve'\. To list the commands, run: .* help\n$/],
    [['--tablePort', 'x'], /--tablePort must be a number; got 'x'\./],
    [['connection-string', '--tablePort', '0'], /Port 0 is any free port\. Use the port that the server printed/],
    [['sas', '--tablePort', '0'], /Port 0 is any free port\. Use the port that the server printed/],
    [['exec'], /missing required argument 'command'/],
  ])('with %j prints what is wrong', async (args, message) => {
    const { code, out, errors } = await runLine(args);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toMatch(message);
  });

  it('accepts options before a command', async () => {
    const { out } = await runLine(['--tablePort', '4711', 'connection-string']);

    expect(out).toContain('TableEndpoint=http://127.0.0.1:4711/devstoreaccount1;');
  });

  it.each(['--version', '-v', 'version'])('with %s prints the version', async (flag) => {
    expect(await place.start('tabularium', [flag]).ended).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
    });
  });

  it.each(['--help', '-h', 'help'])('with %s prints all commands', async (flag) => {
    expect(await runLine([flag])).toEqual({
      code: 0,
      errors: '',
      out: expect.stringMatching(/^Usage: tabularium .*\n {2}snapshot .*\n {2}start /s),
    });
  });

  it.each([[['help', 'start']], [['start', '--help']]])('with %j prints the options of a server', async (words) => {
    expect(await runLine(words)).toEqual({
      code: 0,
      errors: '',
      out: expect.stringMatching(/^Usage: tabularium start .*--tablePort/s),
    });
  });
});
