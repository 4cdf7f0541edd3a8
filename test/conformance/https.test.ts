import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateFiles, readTls } from '../../src/http/tls.js';
import { expectTableError } from '../support/expect-error.js';
import { describeHttpsService } from '../support/https-service.js';
import { pfxCertificate } from '../support/pfx-certificate.js';
import { accountAccess, tableAccess, withAccess } from '../support/sign-access.js';

describeHttpsService('HTTPS', ({ client, service }) => {
  it('writes its own scheme into every address of an answer', async () => {
    const created = await client.send('POST', '/Tables', { body: { TableName: 'Secure' } });
    const inserted = await client.send('POST', '/Secure', { body: { PartitionKey: 'p', RowKey: 'r' } });

    expect(service().base).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/);
    expect(created.headers['location']).toBe(`${service().base}/Tables('Secure')`);
    expect(inserted.headers['location']).toBe(`${service().base}/Secure(PartitionKey='p',RowKey='r')`);
    expect(inserted.json['odata.metadata']).toBe(`${service().base}/$metadata#Secure/@Element`);
  });

  it.each([
    ['path style', 'localhost', '/devstoreaccount1'],
    ['host style', 'devstoreaccount1.table.localhost', ''],
    ['host style, secondary', 'devstoreaccount1-secondary.table.localhost', ''],
    ['a container', 'host.docker.internal', '/devstoreaccount1'],
  ])('has a certificate that is good for %s: %s', async (_style, host, prefix) => {
    const answer = await client.send('GET', '/Tables', { host, prefix });

    expect(answer.status, answer.body).toBe(200);
    expect(answer.json['odata.metadata']).toBe(
      `https://${host}:${new URL(service().url).port}${prefix}/$metadata#Tables`,
    );
  });

  it('A24 takes signatures for HTTPS only', async () => {
    const byAccount = withAccess('/Tables', accountAccess({ spr: 'https' }));
    await client.send('POST', '/Tables', { body: { TableName: 'Only' } });
    const byTable = withAccess('/Only', tableAccess('Only', { spr: 'https' }));

    const answers = [
      await client.send('GET', byAccount, { auth: 'none' }),
      await client.send('GET', byTable, { auth: 'none' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('A24 takes signatures for both protocols', async () => {
    const path = withAccess('/Tables', accountAccess({ spr: 'https,http' }));

    expect(await client.send('GET', path, { auth: 'none' })).toMatchObject({ status: 200 });
  });

  it('refuses as over HTTP', async () => {
    const answer = await client.send('GET', "/Tables('missing')");

    expectTableError(answer, 404, 'ResourceNotFound', { set: 'B2' });
  });
});

describe('Certificates', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tabularium-tls-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are made at the first start and kept', async () => {
    const config = { kind: 'self-signed', folder: join(folder, 'kept'), accounts: ['devstoreaccount1'] } as const;

    const first = await readTls(config);
    const second = await readTls(config);

    expect(second).toEqual(first);
    expect(String(first.cert)).toContain('BEGIN CERTIFICATE');
  });

  it('keep their key from other users of the machine', async () => {
    const config = { kind: 'self-signed', folder: join(folder, 'private'), accounts: [] } as const;
    await readTls(config);

    const { mode } = await stat(certificateFiles(config.folder).key);

    expect(mode & 0o077).toBe(0);
  });

  it('name the addresses of this machine and of every account', async () => {
    const config = { kind: 'self-signed', folder: join(folder, 'named'), accounts: ['first', 'second'] } as const;
    const { cert = '' } = await readTls(config);

    const certificate = new X509Certificate(cert);

    for (const host of [
      'localhost',
      'first.table.localhost',
      'second-secondary.table.localhost',
      'host.docker.internal',
    ]) {
      expect(certificate.checkHost(host), host).toBeDefined();
    }
    for (const address of ['127.0.0.1', '::1']) expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.checkHost('example.com')).toBeUndefined();
  });

  it('are read from files of one’s own', async () => {
    const made = await readTls({ kind: 'self-signed', folder: join(folder, 'made'), accounts: [] });
    const files = certificateFiles(join(folder, 'made'));

    const pem = await readTls({ kind: 'pem', ...files });

    expect(pem).toEqual(made);
  });

  it('are read from a PFX file with its password', async () => {
    const file = join(folder, 'certificate.pfx');
    await writeFile(file, pfxCertificate);

    expect(await readTls({ kind: 'pfx', file, password: 'secret' })).toEqual({
      pfx: pfxCertificate,
      passphrase: 'secret',
    });
  });

  it('that are missing are named', async () => {
    const reading = readTls({ kind: 'pem', cert: join(folder, 'none.pem'), key: join(folder, 'none.key') });

    await expect(reading).rejects.toThrow(/none\.pem/);
  });
});
