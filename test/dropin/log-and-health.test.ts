import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longTimers } from '../support/programs/child-server.js';
import { freePort } from '../support/programs/free-port.mjs';
import { makePlace, type Place } from '../support/programs/place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

const readyLine = /^Tabularium Table service is successfully listening at (\S+)\n/m;

/** Starts a server, sends one request and a health check, and stops it. Returns its output without the ready lines. */
async function logOf(args: readonly string[], variables: Record<string, string> = {}) {
  // A server that stops waits one second for a slow disk, and then loses the rest of its log.
  const environment = { NODE_OPTIONS: longTimers.join('='), ...variables };
  const server = place.start('tabularium', ['--tablePort', '0', '--inMemoryPersistence', ...args], environment);
  const [line, url] = await server.until(readyLine);
  const answer = await fetch(`${url}/devstoreaccount1/Tables?sig=secret`);
  await fetch(`${url}/_tabularium/health`);
  server.kill('SIGTERM');
  const { output, errors } = await server.ended;
  expect(errors).toBe('');
  expect(output).not.toContain('secret');
  return {
    log: output.replace(line, '').replace(/^Explorer: http:\S+\n/, ''),
    id: answer.headers.get('x-ms-request-id'),
  };
}

describe('The log', () => {
  it('is one readable line for each request, except for health checks', async () => {
    const { log, id } = await logOf([]);

    expect(log).toMatch(
      new RegExp(String.raw`^\S+ 403 GET /devstoreaccount1/Tables\?sig=… .* ${id} why: The version .*\n$`),
    );
  });

  it('is JSON with TABULARIUM_LOG=json', async () => {
    const { log, id } = await logOf([], { TABULARIUM_LOG: 'json' });

    expect(JSON.parse(log)).toMatchObject({ msg: 'request', requestId: id, status: 403, level: 30 });
  });

  it.each([[['--silent']], [['--silent', '--log', 'json']]])('is empty with %j', async (args) => {
    expect((await logOf(args)).log).toBe('');
  });

  it.each([
    [['--silent'], 0],
    [[], 1],
  ])(
    'goes to the debug file as JSON with request headers, in addition to the output with %j',
    async (args, otherLines) => {
      const file = join(place.folder, 'logs', 'debug.log');
      const { log, id } = await logOf([...args, '--debug', file]);

      expect(log.split('\n')).toHaveLength(otherLines + 1);
      const text = await readFile(file, 'utf8');
      const lines = text.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { msg: 'request', requestId: id },
        { msg: 'headers', requestId: id, headers: { accept: '*/*' } },
      ]);
      expect(text).not.toContain('secret');
    },
  );
});

describe('tabularium health and doctor', () => {
  const run = (command: string, ...args: string[]) => place.start('tabularium', [command, ...args]).ended;

  it('report by line and exit code whether a server runs', async () => {
    const port = String(await freePort());
    const server = place.start('tabularium', ['--tablePort', port, '--silent']);
    const [, url = ''] = await server.until(readyLine);

    expect(await run('health', '--url', port)).toMatchObject({
      code: 0,
      output: `ready: ${url}\n`,
      errors: '',
    });
    const findings = await run('doctor', '--tablePort', port);
    expect(findings).toMatchObject({ code: 0, errors: '', output: expect.not.stringContaining('problem') });
    expect(findings.output).toMatch(/^ok {7}port .*: in use by Tabularium, whose status is ready/m);

    server.kill('SIGTERM');
    await server.ended;
    expect(await run('health', '--url', port)).toMatchObject({
      code: 1,
      output: `not reached: ${url}: connect ECONNREFUSED 127.0.0.1:${port}\n`,
      errors: '',
    });
    expect(await run('doctor', '--tablePort', port)).toMatchObject({
      code: 0,
      output: expect.not.stringContaining('problem'),
    });
  });

  it('reject invalid options', async () => {
    expect(await run('doctor', '--oauth', 'basic')).toMatchObject({
      code: 2,
      output: '',
      errors: '--oauth basic needs HTTPS: add --https, or --cert and --key.\n',
    });
  });
});
