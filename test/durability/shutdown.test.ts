import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/accounts.js';
import { type ChildServer, eachInFolder, startChild, stopOnce, stopWhileStarting } from '../support/child-server.js';
import { fillFolder } from '../support/data-folder.js';
import { killLeftovers } from '../support/run-program.js';
import { authorizationOf } from '../support/sign-request.js';

afterEach(killLeftovers);

/** Resolves when nobody takes connections any more. */
async function refusesConnections(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const taken = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (!taken) return;
  }
}

/** Begins an insert whose body is still to come; the server has seen its head. */
async function beginInsert(server: ChildServer, body: string, agent: Agent) {
  const target = `/${developmentAccount.name}/Kept`;
  const date = new Date().toUTCString();
  const signed = { method: 'POST', target, date, contentType: 'application/json' };
  const [key = ''] = developmentAccount.keys;
  const outgoing = request(`${server.url}${target}`, {
    agent,
    method: 'POST',
    headers: {
      Authorization: authorizationOf(signed, { scheme: 'SharedKey', account: developmentAccount.name, key }),
      'x-ms-date': date,
      'x-ms-version': '2019-02-02',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Expect: '100-continue',
    },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  return {
    async finish() {
      outgoing.end(body);
      const [response] = await answered;
      response.resume();
      await once(response, 'end');
      return response.statusCode;
    },
  };
}

describe('a server that is told to end', () => {
  it('answers what is under way, then ends, though the client would keep the connection', {
    timeout: 10_000,
  }, async () => {
    const server = await startChild();
    await server.client().post('/Tables', { TableName: 'Kept' });
    const agent = new Agent({ keepAlive: true });
    const insert = await beginInsert(server, '{"PartitionKey":"p","RowKey":"r"}', agent);
    const ending = server.stop('SIGTERM');
    await refusesConnections(server.url);
    expect(await insert.finish()).toBe(201);
    expect(await ending).toMatchObject({ code: 0, errors: '' });
    agent.destroy();
  });

  it('ends though clients hold connections that ask for nothing', { timeout: 10_000 }, async () => {
    const server = await startChild();
    const { hostname, port } = new URL(server.url);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
    silent.destroy();
  });

  it('ends at whatever moment of its start it is told', { timeout: 20_000 }, async () => {
    for (let afterMs = 0; afterMs <= 400; afterMs += 20) {
      const { code, signal, errors } = await stopWhileStarting({}, afterMs);
      // Before it has loaded anything, as any process would; then by itself, and once it serves with nothing left to do.
      expect([0, 143, 'SIGTERM'], `${afterMs} ms`).toContain(signal ?? code);
      expect(errors).toBe('');
    }
  });
});

describe.skipIf(process.platform === 'win32')('a server that is told to end while it opens its data', () => {
  let location: string;
  let pipe: string;
  eachInFolder((folder) => {
    location = folder;
  });
  beforeEach(async () => {
    // Reading a named pipe takes until somebody writes to it.
    pipe = join(await fillFolder(location), 'FORMAT');
    rmSync(pipe);
    execFileSync('mkfifo', [pipe]);
  });

  /** Opens the pipe for writing as soon as the server reads it. */
  async function openWhenRead(): Promise<FileHandle> {
    for (;;) {
      const handle = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
      if (handle) return handle;
      await setImmediate();
    }
  }

  it('ends with code 0, whether it can still be stopped or listens by then', async () => {
    const { happened: handle, end } = await stopOnce({ location }, openWhenRead);
    await handle.write('1\n');
    await handle.close();
    expect(await end).toMatchObject({ code: 0, signal: null, errors: '' });
  });

  it('ends though the file system does not answer', async () => {
    const { happened: handle, end } = await stopOnce({ location }, openWhenRead);
    expect(await end).toMatchObject({ code: null, signal: 'SIGKILL', errors: '' });
    await handle.close();
  });
});
