import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloudTableDomains } from '../../../src/protocol/access/accounts.js';
import {
  certificateFiles,
  certificateHosts,
  prepareOwnCertificate,
  prepareTls,
} from '../../../src/tls/own-certificate.js';
import { pfxCertificate } from '../../support/signatures/pfx-certificate.js';

const dayMs = 86_400_000;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabularium-tls-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const inFolder = (name: string) => ({ folder: join(folder, name), accounts: ['devstoreaccount1'] });
const prepare = (name: string, more: object = {}, now = Date.now()) =>
  prepareOwnCertificate({ ...inFolder(name), ...more }, now);
const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

/** Checks whether a client that trusts `ca` accepts a server on localhost with this certificate. */
async function isTrusted(ca: string, served: { cert: string; key: string }): Promise<boolean> {
  const server = createServer({ ...served }).on('tlsClientError', () => {});
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca });
    return await new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    }).then((trusted) => {
      socket.destroy();
      return trusted as boolean;
    });
  } finally {
    server.close();
  }
}

describe('The certificate that the server makes', () => {
  it('can identify a server, and cannot sign other certificates', async () => {
    const own = await prepare('leaf');

    const certificate = new X509Certificate(own.cert);

    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(await isTrusted(own.cert, own)).toBe(true);
  });

  it('does not make clients trust a certificate that is signed with its key', async () => {
    const own = await prepare('leaf');
    const forged = await generate([{ name: 'commonName', value: 'localhost' }], {
      keySize: 2048,
      algorithm: 'sha256',
      ca: { key: own.key, cert: own.cert },
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    });

    expect(new X509Certificate(forged.cert).checkIssued(new X509Certificate(own.cert))).toBe(true);
    expect(await isTrusted(own.cert, { cert: `${forged.cert}\n${own.cert}`, key: forged.private })).toBe(false);
  });

  it('names the addresses of this machine, of every account and of the configured hosts', async () => {
    const { cert } = await prepare('named', {
      accounts: ['first', 'second'],
      hosts: ['tables.test', '*.example.test', '192.168.7.7'],
    });

    const certificate = new X509Certificate(cert);

    for (const host of [
      'localhost',
      'first.table.localhost',
      'second-secondary.table.localhost',
      ...cloudTableDomains.flatMap((domain) => [`first.${domain}`, `second-secondary.${domain}`]),
      'host.docker.internal',
      'tables.test',
      'any.example.test',
    ]) {
      expect(certificate.checkHost(host), host).toBeDefined();
    }
    for (const address of ['127.0.0.1', '::1', '192.168.7.7']) expect(certificate.checkIP(address)).toBe(address);
    for (const host of ['example.com', 'third.table.core.windows.net', 'table.core.windows.net'])
      expect(certificate.checkHost(host), host).toBeUndefined();
    expect(certificate.checkIP('192.168.7.8')).toBeUndefined();
  });

  it('is created at the first start and kept', async () => {
    const first = await prepare('kept');
    const second = await prepare('kept', {}, Date.now() + 800 * dayMs);

    expect([second.cert, second.key]).toEqual([first.cert, first.key]);
    expect([first.notice, second.notice]).toEqual([undefined, undefined]);
    expect(first.file).toBe(certificateFiles(join(folder, 'kept')).cert);
    expect((await readdir(join(folder, 'kept'))).sort()).toEqual(['certificate.pem', 'key.pem']);
  });

  it.runIf(process.platform !== 'win32')(
    'makes its key unreadable to other users, even if the file was readable',
    async () => {
      const { key } = certificateFiles(join(folder, 'private'));
      await prepare('private');
      const made = await modeOf(key);
      await chmod(key, 0o644);
      await prepare('private');

      expect([made, await modeOf(key)]).toEqual([0o600, 0o600]);
    },
  );

  it.runIf(process.platform !== 'win32')(
    'makes its key unreadable to other users, even if another file had its name',
    async () => {
      const open = inFolder('open');
      await prepare('open');
      const { cert, key } = certificateFiles(open.folder);
      await rm(cert);
      await writeFile(key, 'left over');
      await chmod(key, 0o666);

      await prepare('open');

      expect(await modeOf(key)).toBe(0o600);
      expect(await readFile(key, 'utf8')).toContain('PRIVATE KEY');
    },
  );

  it('is replaced after it has expired: a copy without its key is kept, and a notice tells so', async () => {
    const { folder: of } = inFolder('ended');
    const first = await prepare('ended');

    const second = await prepare('ended', {}, Date.now() + 826 * dayMs);

    expect(second.cert).not.toBe(first.cert);
    expect(second.notice).toMatch(/ended on .* It was replaced by a new one/);
    const kept = join(of, 'replaced-certificate.pem');
    expect(await readFile(kept, 'utf8')).toBe(first.cert);
    expect(second.notice).toContain(kept);
    expect(second.notice).toContain(new X509Certificate(first.cert).fingerprint256);
    for (const name of await readdir(of))
      expect(await readFile(join(of, name), 'utf8')).not.toContain(first.key.trim());
  });

  it('is replaced if it does not name a configured host, and not for a new account', async () => {
    const first = await prepare('grown');

    const account = await prepare('grown', { accounts: ['another'] });
    const host = await prepare('grown', { hosts: ['192.168.7.7'] });

    expect(account.cert).toBe(first.cert);
    expect(host.notice).toMatch(/was not for 192\.168\.7\.7/);
    expect(new X509Certificate(host.cert).checkIP('192.168.7.7')).toBeDefined();
  });

  it('is replaced when it does not belong to its key', async () => {
    const other = await prepare('other');
    await prepare('torn');
    await copyFile(certificateFiles(join(folder, 'other')).key, certificateFiles(join(folder, 'torn')).key);

    const own = await prepare('torn');

    expect(own.notice).toMatch(/did not belong to its key/);
    expect(own.key).not.toBe(other.key);
    expect(await isTrusted(own.cert, own)).toBe(true);
  });

  it('causes an error that names the file and the remedy if it cannot be read', async () => {
    await prepare('damaged');
    await writeFile(certificateFiles(join(folder, 'damaged')).key, 'no key');

    await expect(prepare('damaged')).rejects.toThrow(/key\.pem is not a PEM key\. Delete the folder .*damaged;/);
  });

  it('is temporary without a folder, and its key is not written to a file', async () => {
    const own = await prepareOwnCertificate({ folder: undefined, accounts: [] }, Date.now());
    const files = await readdir(join(own.file, '..'));
    const written = await readFile(own.file, 'utf8');
    await own.dispose();

    expect(files).toEqual(['certificate.pem']);
    expect(written).toBe(own.cert);
    await expect(stat(join(own.file, '..'))).rejects.toThrow(/ENOENT/);
  });
});

describe('The hosts of a certificate', () => {
  it.each([
    ['127.0.0.1', [], ['127.0.0.1']],
    ['0.0.0.0', ['tables.test', '*'], ['tables.test']],
    ['::', ['*.test'], ['*.test']],
  ])('listening on %s with %j are %j', (host, allowed, hosts) => {
    expect(certificateHosts(host, allowed)).toEqual(hosts);
  });
});

describe('The certificate of a user', () => {
  it('is read from files', async () => {
    const made = await prepare('made');

    const { options, own } = await prepareTls({ kind: 'pem', ...certificateFiles(join(folder, 'made')) }, Date.now());

    expect([String(options.cert), String(options.key), own]).toEqual([made.cert, made.key, undefined]);
  });

  it('is read from a PFX file with its password', async () => {
    const file = join(folder, 'certificate.pfx');
    await writeFile(file, pfxCertificate);

    const { options } = await prepareTls({ kind: 'pfx', file, password: 'secret' }, Date.now());

    expect(options).toEqual({ pfx: pfxCertificate, passphrase: 'secret' });
  });

  it('causes an error that names the file if it is missing', async () => {
    const reading = prepareTls({ kind: 'pem', cert: join(folder, 'none.pem'), key: join(folder, 'none.key') }, 0);

    await expect(reading).rejects.toThrow(/none\.pem/);
  });
});
