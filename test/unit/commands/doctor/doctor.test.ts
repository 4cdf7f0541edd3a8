import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../../src/clock/clock.js';
import { examine, examineData, examinePort, findingLines } from '../../../../src/commands/doctor/examine.js';
import { startTabularium } from '../../../../src/index.js';
import { dataFolder } from '../../../../src/store/level/open-folder.js';
import { openStore } from '../../../../src/store/open-store.js';
import { askConfigOf, configOf, helpOf } from '../../../support/clients/parse-command.js';
import { freePort } from '../../../support/programs/free-port.mjs';
import { makeFolder } from '../../../support/programs/make-folder.js';
import { startService } from '../../../support/servers/start-service.js';

let location: string;
beforeEach(async () => {
  location = await makeFolder();
});
afterEach(() => rm(location, { recursive: true }));

describe('The doctor', () => {
  it('checks everything, and reports no problem if there is none', async () => {
    const findings = await examine(configOf(['-l', location, '--tablePort', '0']), Date.now());

    expect(findings.map(({ about }) => about)).toEqual(['port 127.0.0.1:0', 'data']);
    expect(findings.filter(({ remedy }) => remedy !== undefined)).toEqual([]);
  });

  describe('with TABULARIUM_URL', () => {
    const examineAt = async (url: string, ...args: string[]) => {
      const config = askConfigOf(['-l', location, ...args], { TABULARIUM_URL: url });
      return (await examine(config, Date.now())).filter(({ about }) => /^(?:port|server) /.test(about));
    };

    it('is a command that asks a server', () => {
      expect(helpOf('doctor')).toMatch(/--url <server> .*TABULARIUM_URL/);
    });

    it('examines the server that it names, and no port', async () => {
      await using running = await startTabularium();

      expect(await examineAt(running.url)).toMatchObject([
        { about: `server ${running.url}`, result: 'Tabularium, whose status is ready (http)' },
      ]);
    });

    it('says that the server does not answer, or is another one', async () => {
      const other = createHttpServer((_request, response) => response.writeHead(404, { Server: 'nginx' }).end());
      await once(other.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const found = await examineAt(url);
      await new Promise((resolve) => other.close(resolve));

      expect([...found, ...(await examineAt(url))]).toMatchObject([
        {
          about: `server ${url}`,
          result: 'another server (Server: nginx)',
          remedy: 'Correct --url or TABULARIUM_URL.',
        },
        {
          about: `server ${url}`,
          result: expect.stringMatching(/^no answer \(/),
          remedy: 'Start it, or correct --url or TABULARIUM_URL.',
        },
      ]);
    });

    it('examines the port that a flag names', async () => {
      const port = await freePort();

      expect(await examineAt('http://127.0.0.1:1', '--tablePort', String(port))).toEqual([
        { about: `port 127.0.0.1:${port}`, result: 'free' },
      ]);
    });
  });

  it('prints one line for a good finding, and a second line with the remedy for a problem', () => {
    expect(findingLines({ about: 'data', result: 'good' })).toEqual(['ok       data: good']);
    expect(findingLines({ about: 'data', result: 'bad', remedy: 'Fix it.' })).toEqual([
      'problem  data: bad',
      '         Fix it.',
    ]);
  });
});

describe('The port', () => {
  const portAt = (port: number, ...args: string[]) => examinePort(configOf(['--tablePort', String(port), ...args]));

  /** Returns the finding about a port on which a server listens. */
  async function whileListening(server: Server) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      return await portAt((server.address() as AddressInfo).port);
    } finally {
      server.close();
    }
  }

  it('is reported as free', async () => {
    const port = await freePort();

    expect(await portAt(port)).toEqual({ about: `port 127.0.0.1:${port}`, result: 'free' });
  });

  it('is reported as in use by Tabularium', async () => {
    const service = await startService();
    const finding = await portAt(Number(new URL(service.url).port));
    await service.close();

    expect(finding).toMatchObject({ result: 'in use by Tabularium, whose status is ready (http)' });
    expect(finding).not.toHaveProperty('remedy');
  });

  it('is a problem if Tabularium has it, but is not ready', async () => {
    const headers = { 'X-Tabularium': '1', 'Content-Type': 'application/json' };
    const server = createHttpServer((_request, response) =>
      response.writeHead(503, headers).end('{"status":"writes-fail"}\n'),
    );

    expect(await whileListening(server)).toMatchObject({
      result: 'in use by Tabularium, whose status is writes-fail (http)',
      remedy: 'Its log says why it is not ready.',
    });
  });

  it('is a problem if a program has it at ::1, which clients take for localhost, too', async () => {
    const server = createServer((socket) => socket.end('220 mail\r\n'));
    await once(server.listen(0, '::1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const finding = await portAt(port);
    server.close();

    expect(finding).toMatchObject({
      about: `port [::1]:${port}`,
      result: expect.stringMatching(/^in use by a program/),
      remedy: 'Stop it or choose another --tablePort.',
    });
  });

  it.each([
    ['Azurite-Table/3.35.0', 'in use by Azurite (Server: Azurite-Table/3.35.0)'],
    ['nginx', 'in use by another server (Server: nginx)'],
  ])('is reported as in use by %s', async (name, result) => {
    const server = createHttpServer((_request, response) => response.writeHead(404, { Server: name }).end());

    expect(await whileListening(server)).toMatchObject({ result, remedy: expect.stringContaining('--tablePort') });
  });

  it('is reported as in use by a program that does not answer HTTP', async () => {
    const server = createServer((socket) => socket.end('220 mail\r\n'));

    expect(await whileListening(server)).toMatchObject({
      result: expect.stringMatching(/^in use by a program that does not answer HTTP \(/),
    });
  });

  it('is reported as a problem if the machine does not have the address', async () => {
    expect(await portAt(10002, '--tableHost', '203.0.113.1')).toMatchObject({
      result: 'this machine does not have the address',
      remedy: expect.stringContaining('--tableHost'),
    });
  });
});

describe('The data', () => {
  const examineHere = () => examineData(configOf(['-l', location]));

  it('in memory is good', async () => {
    expect(await examineData(configOf(['--inMemoryPersistence']))).toEqual({
      about: 'data',
      result: 'in memory; it is lost when the server ends',
    });
  });

  it('in a folder that does not exist is good, and the folder is not created', async () => {
    const missing = join(location, 'a', 'b');

    expect(await examineData(configOf(['-l', missing]))).toEqual({
      about: 'data',
      result: `${join(missing, dataFolder)} will be created at the first start`,
    });
    expect((await examineHere()).result).toContain('will be created');
  });

  it('of a server that has ended is good', async () => {
    const store = await openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 0 });
    await store.close();

    expect(await examineHere()).toEqual({ about: 'data', result: `${join(location, dataFolder)} can be opened` });
  });

  it('with a newer format is a problem', async () => {
    await mkdir(join(location, dataFolder));
    await writeFile(join(location, dataFolder, 'FORMAT'), '999\n');

    expect(await examineHere()).toMatchObject({
      result: expect.stringContaining('has format 999'),
      remedy:
        'Use the version that wrote it, export with that version and import with this one, or choose another --location.',
    });
  });

  it('is reported with fault and remedy for any path of the folder', async () => {
    const odd = join(location, 'Data. Use it');
    await mkdir(join(odd, dataFolder), { recursive: true });
    await writeFile(join(odd, dataFolder, 'FORMAT'), '999\n');

    expect(await examineData(configOf(['-l', odd]))).toEqual({
      about: 'data',
      result: `The data in ${join(odd, dataFolder)} has format 999; this version reads format 1.`,
      remedy:
        'Use the version that wrote it, export with that version and import with this one, or choose another --location.',
    });
  });

  it('in a location that is a file is a problem', async () => {
    const file = join(location, 'file');
    await writeFile(file, '');

    expect(await examineData(configOf(['-l', file]))).toMatchObject({
      result: expect.stringContaining('cannot be written'),
      remedy: `Let this user write to ${file}, or choose another --location.`,
    });
  });
});
