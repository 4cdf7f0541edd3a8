import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../../support/programs/place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

/** Runs a Node.js script with `tabularium exec`. */
const exec = (script: string, options: readonly string[] = [], variables: Record<string, string> = {}) =>
  place.start('tabularium', ['exec', ...options, '--', process.execPath, '--eval', script], variables);

const made = async () => (await readdir(place.folder)).filter((name) => name !== 'tabularium');

describe('tabularium exec', () => {
  it.each([0, 255])('ends with the exit code %i of its command', async (code) => {
    expect(await exec(`process.exitCode = ${code}`).ended).toMatchObject({ code, output: '', errors: '' });
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGKILL', 137],
  ])('ends with 128 plus the signal number when %s ended its command', async (signal, code) => {
    expect(await exec(`process.kill(process.pid, '${signal}')`).ended).toMatchObject({ code });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('forwards %s to its command and ends after it', async (signal) => {
    const script = `process.once('${signal}', () => process.exit(3)); setInterval(() => {}, 1e6); console.log('up')`;
    const program = exec(script);
    await program.until(/^up\n/);
    program.kill(signal);

    expect(await program.ended).toMatchObject({ code: 3, output: 'up\n', errors: '' });
  });

  it.each([
    [0, 2],
    [7, 7],
  ])('ends, when its command ends with %i and the export at the end fails, with %i', async (code, own) => {
    const path = join(place.folder, 'data.ndjson');
    await writeFile(path, '{"$table":"Orders"}\n');
    const script = `fs.appendFileSync(${JSON.stringify(path)}, '{"$table":"Others"}\\n'); process.exitCode = ${code}`;
    const ended = await exec(script, ['--import', path, '--exportOnExit']).ended;
    expect(ended).toMatchObject({
      code: own,
      errors: expect.stringContaining('was changed while the server was running'),
    });
    expect(await readFile(path, 'utf8')).toBe('{"$table":"Orders"}\n{"$table":"Others"}\n');
  });

  it('keeps nothing to undo, since its server ends with the command', async () => {
    const script = `
      const headers = { 'Content-Type': 'application/json' };
      const url = new URL('/_tabularium/reset', process.env.AZURE_TABLES_ENDPOINT);
      fetch(url, { method: 'POST', headers, body: '{}' }).then(async (answer) => console.log(await answer.text()))`;
    expect((await exec(script).ended).output).toMatch(/^\{"to":"empty","tables":0,"ms":[\d.]+\}\n/);
  });

  it('makes requests fail by a profile, the same ones with the same seed', async () => {
    const script = `
      const { TABULARIUM_ENDPOINT } = process.env;
      const ask = (path) => fetch(new URL('/_tabularium' + path, TABULARIUM_ENDPOINT)).then((answer) => answer.json());
      ask('/faults').then(({ faults }) => console.log(JSON.stringify(faults)))`;
    const { code, output, errors } = await exec(script, ['--faults', 'flaky', '--faultSeed', '7']).ended;
    expect(code).toBe(0);
    expect(errors).toBe("Requests fail by the rules 'flaky'. To repeat this run, add --faultSeed 7.\n");
    const rules = JSON.parse(output) as readonly { id: string; seed: number; ends?: string }[];
    expect(rules.map(({ id }) => id)).toEqual(['flaky-latency', 'flaky-busy', 'flaky-timeout']);
    expect(rules[0]).toMatchObject({ seed: 7 });
    // They hold as long as the server runs.
    expect(rules.filter(({ ends }) => ends !== undefined)).toEqual([]);
    expect(JSON.parse((await exec(script, ['--faults', 'flaky', '--faultSeed', '7']).ended).output)).toEqual(rules);
  });

  it('rejects fault rules that cannot be used', async () => {
    const { code, errors } = await exec('', ['--faults', 'flakey', '--faultSeed', '7']).ended;
    expect(code).toBe(2);
    expect(errors).toContain(
      "The fault rules 'flakey' are invalid. There is no profile 'flakey'. Did you mean 'flaky'?",
    );
  });

  it('passes its command the address of a server on a free port', async () => {
    const names = ['AZURE_STORAGE_CONNECTION_STRING', 'TABULARIUM_CONNECTION_STRING'];
    const script = `
      const { AZURE_TABLES_ENDPOINT, TABULARIUM_ENDPOINT } = process.env;
      const { status } = await fetch(new URL('/_tabularium/health', TABULARIUM_ENDPOINT));
      console.log(JSON.stringify({ status, AZURE_TABLES_ENDPOINT, TABULARIUM_ENDPOINT,
        strings: ${JSON.stringify(names)}.map((name) => process.env[name]) }))`;
    const variables = { TABULARIUM_TABLE_PORT: '1', TABULARIUM_LOCATION: '/no/such/folder' };
    const { code, output } = await exec(`(async () => {${script}})()`, [], variables).ended;

    const printed = JSON.parse(output);
    expect(code).toBe(0);
    expect(printed).toMatchObject({
      status: 200,
      TABULARIUM_ENDPOINT: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d{2,}\/devstoreaccount1$/),
      AZURE_TABLES_ENDPOINT: printed.TABULARIUM_ENDPOINT,
    });
    for (const text of printed.strings) {
      expect(text).toMatch(/^DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=\S+;TableEndpoint=/);
      expect(text).toContain(`TableEndpoint=${printed.TABULARIUM_ENDPOINT};`);
    }
    expect(await made()).toEqual([]);
  });

  it('passes its command the connection string of Cosmos DB with --cosmos, on a free port', async () => {
    const script = 'console.log(process.env.COSMOS_TABLE_CONNECTION_STRING)';
    const form =
      /^DefaultEndpointsProtocol=http;AccountName=localhost;AccountKey=[^;]+;TableEndpoint=http:\/\/localhost:\d+\/;\n$/;

    expect((await exec(script, ['--cosmos']).ended).output).toMatch(form);
    expect((await exec(script).ended).output).toBe('undefined\n');
  });

  it('keeps data on disk only with --location', async () => {
    await exec('', ['--location', place.folder]).ended;

    expect(await made()).toEqual(['tabularium-data']);
  });

  it('serves HTTPS with a certificate that its command trusts', async () => {
    const script = `fetch(new URL('/_tabularium/health', process.env.TABULARIUM_ENDPOINT))
      .then(({ status }) => console.log(process.env.TABULARIUM_ENDPOINT.slice(0, 6), status))`;

    expect(await exec(script, ['--https']).ended).toMatchObject({ code: 0, output: 'https: 200\n', errors: '' });
  });

  it('logs nothing without --log', async () => {
    const script = `fetch(process.env.TABULARIUM_ENDPOINT + '/Tables').then((answer) => answer.text())`;

    expect((await exec(script).ended).output).toBe('');
    expect((await exec(script, ['--log', 'human']).ended).output).toContain(' GET /devstoreaccount1/Tables ');
    expect((await exec(script, ['--log', 'json', '--silent']).ended).output).toBe('');
  });

  it('passes options after the command to the command', async () => {
    const command = ['exec', process.execPath, '--eval', 'console.log(process.argv.slice(1))', '--', '--silent'];

    expect((await place.start('tabularium', command).ended).output).toBe("[ '--silent' ]\n");
  });

  it('keeps the certificates that its command already trusts', async () => {
    const { certificate, key } = await selfSigned();
    const trusted = join(place.folder, 'trusted.pem');
    await writeFile(trusted, certificate);
    const other = createServer({ cert: certificate, key }, (_request, response) => response.end()).listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const script = `
      const urls = [process.env.TABULARIUM_ENDPOINT + '/Tables', 'https://localhost:${port}'];
      Promise.all(urls.map((url) => fetch(url))).then((answers) => console.log(answers.length, process.env.NODE_EXTRA_CA_CERTS))`;

    const { code, output, errors } = await exec(script, ['--https'], { NODE_EXTRA_CA_CERTS: trusted }).ended;
    other.close();

    const [, bundle = ''] = /^2 (\S+)\n$/.exec(output) ?? [];
    expect({ code, errors }).toMatchObject({ code: 0, errors: '' });
    expect(bundle).not.toBe('');
    expect(bundle).not.toBe(trusted);
    expect(existsSync(bundle)).toBe(false);
    expect(await readFile(trusted, 'utf8')).toBe(certificate);
  });

  it.each([
    ['does not exist', 127, () => 'no-such-command'],
    ['has an empty name', 127, () => ''],
    ['is not executable', 126, () => join(place.folder, 'plain-file')],
    ['is reached through a file', 126, () => join(place.folder, 'plain-file', 'command')],
  ])('with a command that %s prints one line and ends with %i', async (_what, code, command) => {
    await writeFile(join(place.folder, 'plain-file'), '');

    const ending = await place.start('tabularium', ['exec', '--', command()]).ended;

    expect(ending).toMatchObject({
      code,
      output: '',
      errors: expect.stringMatching(
        code === 127 ? /^The command '.*' was not found\. .*\n$/ : /^The command '.*' cannot be run: .*\n$/,
      ),
    });
  });
});

/** Makes a certificate for localhost that is independent of the server's own. */
async function selfSigned(): Promise<{ readonly certificate: string; readonly key: string }> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  return { certificate: made.cert, key: made.private };
}
