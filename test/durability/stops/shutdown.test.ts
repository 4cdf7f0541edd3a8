import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runs } from '../../support/arbitrary/property-runs.js';
import {
  countStart,
  eachInFolder,
  longTimers,
  startChild,
  stopOnce,
  stopWhileStarting,
} from '../../support/programs/child-server.js';
import { fillFolder } from '../../support/programs/data-folder.js';
import { killLeftovers } from '../../support/programs/run-program.js';
import { rejectsConnections } from '../../support/servers/rejects-connections.js';
import { beginInsert } from '../../support/store/begin-insert.js';

afterEach(killLeftovers);

describe('A server that receives SIGTERM', () => {
  it('refuses connections, finishes the current request, closes its connection, and ends', async () => {
    const server = await startChild({ node: longTimers });
    await server.client().post('/Tables', { TableName: 'Kept' });
    const insert = await beginInsert(server.url, 'Kept', '{"PartitionKey":"p","RowKey":"r"}');
    const events: string[] = [];
    let hasEnded = false;
    const ending = server.stop('SIGTERM').finally(() => {
      hasEnded = true;
    });
    await rejectsConnections(server.url);
    events.push('refuses connections');
    expect(hasEnded).toBe(false);
    const answered = insert.finish().then((status) => events.push(`answered ${status}`));
    await Promise.all([answered, insert.closed.then(() => events.push('connection closed'))]);
    expect(await ending).toMatchObject({ code: 0, errors: '' });
    // The end of the process and the end of its connection reach this process in any order.
    expect(events).toEqual(['refuses connections', 'answered 201', 'connection closed']);
  });

  it('ends although clients hold idle connections', async () => {
    const server = await startChild();
    const { hostname, port } = new URL(server.url);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
    silent.destroy();
  });

  it('ends at any point of its start', async () => {
    const { prints } = await countStart({ node: longTimers });
    const points = runs(8);
    for (let point = 0; point < points; point++) {
      const operations = (point * prints) / (points - 1);
      const { code, signal, errors } = await stopWhileStarting({ node: longTimers }, operations);
      // SIGTERM before its first line runs; 143 while it loads modules; 0 from then on.
      expect([0, 143, 'SIGTERM'], `after ${operations} operations`).toContain(signal ?? code);
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
    const { happened: handle, end } = await stopOnce({ location, node: longTimers }, openWhenRead);
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
