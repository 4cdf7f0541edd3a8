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

/** Resolves when the server no longer accepts connections. */
async function refusesConnections(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const accepted = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (!accepted) return;
  }
}

/** Sends the headers of an insert and waits until the server has read them. `finish` sends the body. */
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

describe('A server that receives SIGTERM', () => {
  it('finishes the current requests, then ends, although the client would keep the connection', {
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

  it('ends although clients hold idle connections', { timeout: 10_000 }, async () => {
    const server = await startChild();
    const { hostname, port } = new URL(server.url);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
    silent.destroy();
  });

  it('ends at any moment of its start', { timeout: 20_000 }, async () => {
    for (let afterMs = 0; afterMs <= 400; afterMs += 20) {
      const { code, signal, errors } = await stopWhileStarting({}, afterMs);
      // SIGTERM before its first line runs; 143 while it loads modules; 0 from then on.
      expect([0, 143, 'SIGTERM'], `${afterMs} ms`).toContain(signal ?? code);
      expect(errors).toBe('');
    }
  });
});

describe.skipIf(process.platform === 'win32')('A server that receives SIGTERM while it opens its data', () => {
  let location: string;
  let pipe: string;
  eachInFolder((folder) => {
    location = folder;
  });
  beforeEach(async () => {
    // Reading a named pipe blocks until another process writes to it.
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

  it('ends with code 0, whether or not it already listens', async () => {
    const { happened: handle, end } = await stopOnce({ location }, openWhenRead);
    await handle.write('1\n');
    await handle.close();
    expect(await end).toMatchObject({ code: 0, signal: null, errors: '' });
  });

  it('ends although the file system does not respond', async () => {
    const { happened: handle, end } = await stopOnce({ location }, openWhenRead);
    expect(await end).toMatchObject({ code: null, signal: 'SIGKILL', errors: '' });
    await handle.close();
  });
});
