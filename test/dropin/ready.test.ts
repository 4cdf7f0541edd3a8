import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/programs/place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

const served = ['--inMemoryPersistence', '--tablePort', '0', '--silent', '--ready', 'json'];

describe('--ready json', () => {
  it('prints how to reach the server as one line, also of a silent one', async () => {
    const program = place.start('tabularium', ['start', ...served], { TABULARIUM_ADMIN_TOKEN: 'secret' });
    await program.until(/\n/);
    const ready = JSON.parse(program.output());
    expect(ready).toEqual({
      ready: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      pid: program.pid,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      account: 'devstoreaccount1',
      connectionString: expect.stringContaining(`TableEndpoint=${ready.url}/devstoreaccount1;`),
      adminToken: 'secret',
    });
    const answer = await fetch(`${ready.url}/_tabularium/info`, { headers: { Authorization: 'Bearer secret' } });
    expect(await answer.json()).toMatchObject({ connectionString: ready.connectionString });
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(program.output().split('\n')).toHaveLength(2);
  });

  it.each([
    [['--tablePort', 'x'], /^--tablePort must be a number; got 'x'\.$/],
    [['--tabelPort', '0'], /^error: unknown option '--tabelPort'/],
    [['start', '--database', 'postgres://a/b', '--location', '.'], /^--database needs no folder\./],
  ])('prints why a server with %j does not start', async (args, error) => {
    const program = place.start('tabularium', [...args, '--ready=json']);
    const { code, output, errors } = await program.ended;
    expect(code).toBe(2);
    expect(JSON.parse(output)).toEqual({ ready: false, error: expect.stringMatching(error) });
    expect(errors.trim()).toBe(JSON.parse(output).error);
  });

  it('says so if the port is taken, by its variable', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const args = ['--inMemoryPersistence', '--tablePort', String(port)];
    const { output } = await place.start('tabularium', args, { TABULARIUM_READY: 'json' }).ended;
    expect(JSON.parse(output)).toEqual({ ready: false, error: expect.stringMatching('EADDRINUSE') });
    // An open standard input does not keep it running.
    const waiting = place.start('tabularium', [...args, '--ready=json', '--endWithStdin'], {}, { input: 'pipe' });
    expect(await waiting.ended).toMatchObject({ code: 2, output });
    other.close();
  });

  it('is nothing that other commands print', async () => {
    const { output } = await place.start('tabularium', ['connection-string', '--tablePort', 'x', '--ready', 'json'])
      .ended;
    expect(output).toBe('');
  });
});

describe('--endWithStdin', () => {
  it('ends a server with its standard input, in order', async () => {
    const program = place.start('tabularium', ['start', ...served, '--endWithStdin'], {}, { input: 'pipe' });
    await program.until(/"ready":true.*\n/);
    program.endInput();
    expect(await program.ended).toMatchObject({ code: 0, errors: '' });
  });

  it('ends a server whose input has ended before it listens', async () => {
    expect(await place.start('tabularium', [...served, '--endWithStdin']).ended).toMatchObject({ code: 0, errors: '' });
  });
});
