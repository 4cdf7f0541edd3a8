import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeTrustFiles } from '../../../src/commands/exec/trust-files.js';
import { makePlace, type Place } from '../../support/programs/place.js';

const identities = {
  identities: {
    app: { roles: ['Storage Table Data Contributor'] },
    reader: { roles: ['Storage Table Data Reader'] },
  },
};

let place: Place;
let file = '';
beforeEach(async () => {
  place = await makePlace('tabularium');
  file = join(place.folder, 'identities.json');
  await writeFile(file, JSON.stringify(identities));
});
afterEach(() => place.clear());

const run = (options: readonly string[], script: string, variables: Record<string, string> = {}) =>
  place.start('tabularium', ['exec', ...options, '--', process.execPath, '--eval', script], variables).ended;

/** What a program of a managed identity does: it gets a token, creates a table and lists tables. */
const program = `
  const { IDENTITY_ENDPOINT, IDENTITY_HEADER, AZURE_TABLES_ENDPOINT } = process.env;
  const resource = 'api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com';
  fetch(IDENTITY_ENDPOINT + '?' + resource, { headers: { 'X-IDENTITY-HEADER': IDENTITY_HEADER } })
    .then((answer) => answer.json())
    .then(async ({ access_token: token }) => {
      const headers = { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json', 'x-ms-version': '2019-02-02' };
      const url = AZURE_TABLES_ENDPOINT + '/Tables';
      const made = await fetch(url, { method: 'POST', headers, body: '{"TableName":"Made"}' });
      const listed = await fetch(url, { headers });
      console.log(made.status, listed.status);
    });`;

describe('tabularium exec --identity', () => {
  it.each([
    ['app', '201 200\n'],
    ['reader', '403 200\n'],
  ])('runs a command as %s, which may do what its roles permit: %s', async (name, output) => {
    expect(await run(['--identity', file, '--as', name], program)).toMatchObject({ code: 0, output, errors: '' });
  });

  it('needs no --as if there is one identity', async () => {
    await writeFile(file, JSON.stringify({ identities: { only: {} } }));

    expect(await run(['--identity', file], program)).toMatchObject({ output: '403 403\n' });
  });

  it('gives the command no key, no other credential and no name by which clients take it for Cosmos DB', async () => {
    const disturbing = {
      ...{ AZURE_CLIENT_SECRET: 'x', AZURE_FEDERATED_TOKEN_FILE: 'x', MSI_ENDPOINT: 'x', MSI_SECRET: 'x' },
      ...{ AZURE_CLIENT_ID: 'of the cloud', AZURE_STORAGE_CONNECTION_STRING: 'of the cloud' },
      ...{
        AZURE_STORAGE_KEY: 'x',
        AZURE_STORAGE_SAS_TOKEN: 'x',
        TABULARIUM_IDENTITY_SECRETS: 'app=0123456789abcdef0123456789abcdef',
      },
      ...{ TABULARIUM_ACCOUNTS: 'devstoreaccount1:a2V5', AZURITE_ACCOUNTS: 'other:a2V5' },
      ...{ TABULARIUM_COSMOS_ACCOUNTS: 'cosmos:a2V5' },
      ...{ TABULARIUM_ADMIN_TOKEN: 'x'.repeat(24), TABULARIUM_ADMIN_READ_TOKEN: 'y'.repeat(24) },
    };
    const names = [
      ...Object.keys(disturbing),
      'TABULARIUM_CONNECTION_STRING',
      'COSMOS_TABLE_CONNECTION_STRING',
      'IDENTITY_ENDPOINT',
      'AZURE_TABLES_ENDPOINT',
    ];
    const script = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name] ?? null)))`;

    const { output } = await run(
      ['--identity', file, '--as', 'app', '--tableHost', 'localhost', '--cosmosPort', '0'],
      script,
      disturbing,
    );
    const [secret, federated, endpoint, msi, client, ...others] = JSON.parse(output);
    const [tables, tokens] = [others.pop(), others.pop()];

    expect([secret, federated, endpoint, msi, ...others].filter((value) => value !== null)).toEqual([]);
    expect(client).toMatch(/^[0-9a-f-]{36}$/);
    expect(tokens).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/_tabularium\/identity\/token$/);
    expect(tables).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/);
  });

  it.each([
    [['--as', 'app'], '--as needs --identity, with the file of identities.'],
    [['--identity', 'none', '--as', 'app'], 'The identities in none cannot be read: it does not exist.'],
    [['--identity', 'identities.json', '--as', 'reder'], "There is no identity 'reder'. Did you mean 'reader'?"],
    [['--identity', 'identities.json'], 'Name an identity: app, reader.'],
    [['--identity', 'identities.json', '--https', '--oauth', 'basic'], '--identity and --oauth exclude each other'],
  ])('does not run a command with %o', async (options, message) => {
    const { code, output, errors } = await run(options, 'console.log("ran")');

    expect([code, output]).toEqual([2, '']);
    expect(errors).toContain(message);
  });

  it('is for HTTPS, which a server has to be told', async () => {
    const { code, errors } = await place.start('tabularium', ['--tablePort', '0', '--identity', file]).ended;

    expect([code, errors]).toEqual([2, '--identity needs HTTPS: add --https, or --cert and --key.\n']);
  });
});

it('tabularium exec --identity leaves the sites trusted that were trusted before', async () => {
  const site = async (name: string) => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const path = join(place.folder, `${name}.pem`);
    await writeFile(path, cert);
    const server = createServer({ cert, key }, (_request, response) => response.end(name));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { path, server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  };
  const [extra, bundled] = [await site('extra'), await site('bundled')];
  // The first as Node trusts it, the others as a client does that reads only the bundle.
  const script = `
    const { request } = require('node:https');
    const ca = require('node:fs').readFileSync(process.env.REQUESTS_CA_BUNDLE);
    const ask = (url, options) => new Promise((resolve) =>
      request(url, { ...options, agent: false }, (answer) => resolve(answer.resume().statusCode)).on('error', ({ code }) => resolve(code)).end());
    (async () => console.log(
      await ask('${extra.url}', {}),
      await ask('${bundled.url}', {}),
      await ask('${bundled.url}', { ca }),
      await ask(process.env.AZURE_TABLES_ENDPOINT + '/Tables', {}),
      await ask(process.env.AZURE_TABLES_ENDPOINT + '/Tables', { ca }),
    ))();`;
  const variables = { NODE_EXTRA_CA_CERTS: extra.path, REQUESTS_CA_BUNDLE: bundled.path };

  const { output } = await run(['--identity', file, '--as', 'reader'], script, variables);
  for (const { server } of [extra, bundled]) server.close();

  expect(output).toBe('200 200 200 401 401\n');
});

describe('The files by which a command trusts the server', () => {
  const makeOwn = async (name: string) => {
    const path = join(place.folder, name);
    await writeFile(path, (await generate([{ name: 'commonName', value: name }])).cert);
    return path;
  };

  it('have the usual roots and what the environment trusts already', async () => {
    const [own, extra, python] = [await makeOwn('own.pem'), await makeOwn('extra.pem'), await makeOwn('python.pem')];
    const environment = {
      NODE_EXTRA_CA_CERTS: extra,
      REQUESTS_CA_BUNDLE: python,
      SSL_CERT_FILE: join(place.folder, 'none'),
    };
    const { variables, dispose } = await writeTrustFiles(own, environment);
    const bundle = await readFile(variables.SSL_CERT_FILE ?? '', 'utf8');

    for (const path of [own, extra, python]) expect(bundle).toContain((await readFile(path, 'utf8')).trim());
    expect(bundle).toContain(rootCertificates[0]?.trim());
    expect(new Set(Object.values(variables)).size).toBe(2);
    await dispose();
    await expect(readFile(variables.SSL_CERT_FILE ?? '')).rejects.toThrow('ENOENT');
  });

  it('have a trust store for Java beside its other options, unless they name one', async () => {
    const own = await makeOwn('own.pem');
    const options = async (java: string | undefined) => {
      const { variables, dispose } = await writeTrustFiles(own, { JAVA_TOOL_OPTIONS: java });
      await dispose();
      return variables.JAVA_TOOL_OPTIONS;
    };

    expect(await options(undefined)).toMatch(/^-Djavax\.net\.ssl\.trustStore=\S+trusted-certificates\.jks$/);
    expect(await options('-Xmx1g')).toMatch(/^-Xmx1g -Djavax\.net\.ssl\.trustStore=/);
    expect(await options('-Djavax.net.ssl.trustStore=mine')).toBeUndefined();
  });

  it('can be read by Java', async ({ skip }) => {
    const { variables, dispose } = await writeTrustFiles(await makeOwn('own.pem'), {});
    const store = variables.JAVA_TOOL_OPTIONS?.split('=')[1] ?? '';
    try {
      const listed = execFileSync('keytool', ['-list', '-keystore', store, '-storepass', 'changeit'], {
        encoding: 'utf8',
      });
      expect(listed).toContain(`${rootCertificates.length + 1} entries`);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') skip('keytool is not on this machine');
      throw error;
    } finally {
      await dispose();
    }
  });
});
