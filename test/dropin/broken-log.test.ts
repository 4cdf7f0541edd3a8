import { closeSync, existsSync, openSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/programs/free-port.mjs';
import { makePlace, type Place } from '../support/programs/place.js';
import type { RunningProgram } from '../support/programs/run-program.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium', 'azurite-table');
});
afterEach(() => place.clear());

const readyLine = /^Tabularium Table service is successfully listening at (\S+)\n/m;

async function started(args: readonly string[], name = 'tabularium'): Promise<{ server: RunningProgram; url: string }> {
  const server = place.start(name, ['--tablePort', '0', '--inMemoryPersistence', ...args]);
  const [, url = ''] = await server.until(readyLine);
  return { server, url };
}

/** Sends requests one after the other, each with a path of this length, which is logged. Returns their status codes. */
async function statusesOf(url: string, requests: number, pathLength = 10): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < requests; at++) {
    const { status } = await fetch(`${url}/devstoreaccount1/${'a'.repeat(pathLength)}`);
    statuses.push(status);
  }
  return statuses;
}

const rejected = (requests: number) => new Array<number>(requests).fill(401);

describe('A log that cannot be written', () => {
  it.runIf(existsSync('/dev/full'))('does not stop the server when the debug file is on a full disk', async () => {
    const { server, url } = await started(['--silent', '--debug', '/dev/full']);

    expect(await statusesOf(url, 5)).toEqual(rejected(5));

    server.kill('SIGTERM');
    expect(await server.ended).toMatchObject({
      code: 0,
      errors: expect.stringMatching(
        /^The log cannot be written to \/dev\/full: ENOSPC: [^\n]* The server continues [^\n]*\n$/,
      ),
    });
  });

  it.runIf(existsSync('/dev/full'))('does not stop the server when standard output is on a full disk', async () => {
    // Given, because the test cannot read the port that the server prints.
    const port = await freePort();
    const outputFile = openSync('/dev/full', 'w');
    const args = ['--tablePort', String(port), '--inMemoryPersistence'];
    const server = place.start('tabularium', args, {}, { outputFile });
    const url = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${url}/_tabularium/health`).then(
        () => true,
        () => false,
      );
    const failed = server.ended.then(({ errors }) => Promise.reject(new Error(errors)));
    failed.catch(() => {});
    while (!(await Promise.race([isReady(), failed])));

    expect(await statusesOf(url, 5)).toEqual(rejected(5));

    server.kill('SIGTERM');
    expect(await server.ended).toMatchObject({
      code: 0,
      errors: expect.stringMatching(/^The log cannot be written to standard output: ENOSPC: [^\n]*\n$/),
    });
    closeSync(outputFile);
  });

  it.each(['tabularium', 'azurite-table'])(
    'does not stop %s when the reader of its output closes the pipe',
    async (name) => {
      const { server, url } = await started([], name);
      server.leaveOutput('closed');

      expect(await statusesOf(url, 5)).toEqual(rejected(5));

      server.kill('SIGTERM');
      expect(await server.ended).toMatchObject({
        code: 0,
        errors: expect.stringMatching(/^The log cannot be written to standard output: EPIPE: [^\n]*\n$/),
      });
    },
  );

  it.each([[[]], [['--log', 'json']]])(
    'does not stop the server with %j when its reader stops reading',
    async (args) => {
      const { server, url } = await started(args);
      server.leaveOutput('unread');

      // More than a pipe or a socket holds.
      expect(await statusesOf(url, 60, 40_000)).toEqual(rejected(60));

      server.kill('SIGTERM');
      const { code, signal, errors } = await server.ended;
      expect(errors).toBe('');
      // A server whose write is still in the system ends itself by a signal, because an exit would wait for the write.
      expect([0, 'SIGKILL']).toContain(code ?? signal);
    },
  );
});
