import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/programs/place.js';
import type { RunningProgram } from '../support/programs/run-program.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

const madeHere = async () => (await readdir(place.folder)).filter((name) => name !== 'tabularium');

/** Starts a server over HTTPS on a free port. Returns its health URL and the certificate file that it prints. */
async function startHttps(options: readonly string[], variables: Record<string, string> = {}) {
  const program = place.start('tabularium', ['--https', '--tablePort', '0', ...options], variables);
  const [, file = ''] = await program.until(/The certificate is (\S+)\. To trust it/);
  const [, port = ''] = await program.until(/https:\/\/127\.0\.0\.1:(\d+)/);
  return { program, file, url: `https://localhost:${port}/_tabularium/health` };
}

const stop = async (program: RunningProgram) => {
  program.kill('SIGTERM');
  return program.ended;
};

/** Command lines of clients that trust a certificate file and request a URL. Skipped if the client is not installed. */
const clients: readonly (readonly [name: string, command: (file: string, url: string) => readonly string[]])[] = [
  ['curl', (file, url) => ['curl', '--silent', '--fail', '--noproxy', '*', '--cacert', file, url]],
  [
    'python3',
    (file, url) => [
      'python3',
      '-c',
      'import ssl,sys,http.client as h;from urllib.parse import urlparse as u;a=u(sys.argv[2]);' +
        'c=h.HTTPSConnection(a.netloc,context=ssl.create_default_context(cafile=sys.argv[1]));' +
        'c.request("GET",a.path);sys.exit(c.getresponse().status!=200)',
      file,
      url,
    ],
  ],
  ['openssl', (file) => ['openssl', 'verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', file, file]],
];
const isInstalled = (name: string) => spawnSync(name, ['--help']).error === undefined;

describe('The certificate of --https', () => {
  describe.each(clients)('is trusted by %s', (name, command) => {
    const why = isInstalled(name) ? '' : ` (skipped: ${name} is not installed)`;
    it.skipIf(why !== '')(`if it is passed, and not otherwise${why}`, async () => {
      const { file, url } = await startHttps(['--location', place.folder]);
      const run = (trusted: string) => {
        const [program = '', ...args] = command(trusted, url);
        return spawnSync(program, args, { encoding: 'utf8' });
      };

      const trusting = run(file);

      expect(trusting.status, trusting.stderr).toBe(0);
      if (name !== 'openssl') expect(run('/dev/null').status).not.toBe(0);
    });
  });

  it('is stored in the location, with a key that only this user can read', async () => {
    const { program, file } = await startHttps(['--location', place.folder]);
    await stop(program);

    expect(file).toBe(join(place.folder, 'tabularium-certificate', 'certificate.pem'));
    if (process.platform !== 'win32') {
      expect((await stat(join(file, '../key.pem'))).mode & 0o777).toBe(0o600);
    }
  });

  it('leaves nothing on disk after a server in memory ended, and nothing in the working folder before', async () => {
    const temporary = join(place.folder, 'temporary');
    await mkdir(temporary);
    const { program, file } = await startHttps(['--inMemoryPersistence'], { TMPDIR: temporary, TEMP: temporary });
    const during = await madeHere();
    await stop(program);

    expect(file.startsWith(temporary)).toBe(true);
    expect(during).toEqual(['temporary']);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('is kept in the location of a server in memory, which keeps nothing else there', async () => {
    const start = async () => {
      const { program, file } = await startHttps(['--inMemoryPersistence', '--location', place.folder]);
      await stop(program);
      return readFile(file, 'utf8');
    };

    expect(await start()).toBe(await start());
    expect(await madeHere()).toEqual(['tabularium-certificate']);
  });

  it('is kept in the location that exec is given, also if the data is in memory', async () => {
    const words = ['exec', '--https', '--inMemoryPersistence', '--location', place.folder, '--', process.execPath];

    expect(await place.start('tabularium', [...words, '--eval', '']).ended).toMatchObject({ code: 0, errors: '' });
    expect(await madeHere()).toEqual(['tabularium-certificate']);
  });

  it('leaves nothing in the working folder with exec', async () => {
    const ending = await place.start('tabularium', ['exec', '--https', '--', process.execPath, '--eval', '']).ended;

    expect(ending).toMatchObject({ code: 0, output: '', errors: '' });
    expect(await madeHere()).toEqual([]);
  });
});
