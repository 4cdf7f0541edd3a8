import { generateKeyPairSync } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CertificateFiles, readCertificate } from '../../../src/tls/read-certificate.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { pfxCertificate, pfxWithoutKey } from '../../support/signatures/pfx-certificate.js';

let folder: string;
const at = (name: string) => join(folder, name);
const pem = (cert: string, key: string, password?: string): CertificateFiles => ({
  kind: 'pem',
  cert: at(cert),
  key: at(key),
  ...(password !== undefined && { password }),
});
const pfx = (file: string, password?: string): CertificateFiles => ({ kind: 'pfx', file: at(file), password });

beforeAll(async () => {
  folder = await makeFolder();
  const made = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  const cipher = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const files = {
    'cert.pem': made.cert,
    'key.pem': made.private,
    'other.pem': pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'encrypted.pem': pair.privateKey.export(cipher),
    'der.cer': Buffer.from(made.cert.replaceAll(/-----.*-----|\s/g, ''), 'base64'),
    'cut.pem': made.cert.slice(0, 200),
    'binary.bin': Buffer.from([0, 255, 1, 254, 2]),
    'empty.pem': '',
    'right.pfx': pfxCertificate,
    'keyless.pfx': pfxWithoutKey,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(at(name), content);
  await mkdir(at('folder'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('A certificate', () => {
  it.each([
    ['a PEM pair', () => pem('cert.pem', 'key.pem')],
    ['a PEM pair with a password that its key does not need', () => pem('cert.pem', 'key.pem', 'word')],
    ['a PFX file with its password', () => pfx('right.pfx', 'secret')],
  ])('is read from %s', async (_what, files) => {
    await expect(readCertificate(files())).resolves.toBeTypeOf('object');
  });

  it.each([
    [
      'missing certificate',
      () => pem('none', 'key.pem'),
      /^The certificate .*none cannot be read: it does not exist\. Pass/,
    ],
    ['missing key', () => pem('cert.pem', 'none'), /^The key .*none cannot be read: it does not exist\. Pass the file/],
    ['folder as certificate', () => pem('folder', 'key.pem'), /folder cannot be read: it is a folder\. Pass the file/],
    [
      'folder as key',
      () => pem('cert.pem', 'folder'),
      /folder cannot be read: it is a folder\. Pass the file of the key/,
    ],
    ['folder as PFX', () => pfx('folder', 'secret'), /folder cannot be read: it is a folder\. Pass the file/],
    ['path through a file', () => pem('cert.pem/x', 'key.pem'), /a part of its path is a file, not a folder\. Pass/],
    ['empty certificate', () => pem('empty.pem', 'key.pem'), /empty\.pem is empty\. Pass the file of the certificate/],
    ['empty key', () => pem('cert.pem', 'empty.pem'), /empty\.pem is empty\. Pass the file of the key/],
    ['empty PFX', () => pfx('empty.pem', 'secret'), /empty\.pem is empty/],
    ['binary certificate', () => pem('binary.bin', 'key.pem'), /binary\.bin is not a PEM certificate\. Pass one that/],
    ['DER certificate', () => pem('der.cer', 'key.pem'), /der\.cer is not a PEM certificate\. Pass one that/],
    ['PFX as certificate of a pair', () => pem('right.pfx', 'key.pem'), /for a PFX file pass --pwd instead of --key/],
    ['certificate that is cut off', () => pem('cut.pem', 'key.pem'), /cut\.pem is not a PEM certificate/],
    ['key as certificate', () => pem('key.pem', 'key.pem'), /key\.pem is not a PEM certificate/],
    ['certificate as key', () => pem('cert.pem', 'cert.pem'), /cert\.pem is not a PEM key\. Pass one that/],
    ['binary key', () => pem('cert.pem', 'binary.bin'), /binary\.bin is not a PEM key/],
    ['key of another', () => pem('cert.pem', 'other.pem'), /does not belong to the certificate in .*\. Pass the key/],
    [
      'encrypted key without a password',
      () => pem('cert.pem', 'encrypted.pem'),
      /is encrypted\. Pass its password with --pwd/,
    ],
    ['encrypted key, wrong password', () => pem('cert.pem', 'encrypted.pem', 'no'), /password does not open the key/],
    [
      'encrypted key of another',
      () => pem('cert.pem', 'encrypted.pem', 'secret'),
      /does not belong to the certificate/,
    ],
    ['PFX, wrong password', () => pfx('right.pfx', 'no'), /The password is wrong; pass its own with --pwd\.$/],
    ['PFX without its password', () => pfx('right.pfx'), /Pass its password with --pwd\.$/],
    ['PFX without a key', () => pfx('keyless.pfx', 'secret'), /It has no private key; export it again with its key\.$/],
    [
      'PEM as PFX',
      () => pfx('cert.pem', 'secret'),
      /is a PEM file, not a PFX file\. Pass its key as well, with --key\.$/,
    ],
    ['binary PFX', () => pfx('binary.bin', 'secret'), /It is damaged or not a PFX file; export it again\.$/],
  ])('is rejected in one line with the fix: %s', async (_what, files, message) => {
    const error = await readCertificate(files()).then(
      () => undefined,
      (fault: unknown) => fault,
    );

    expect(error).toMatchObject({ name: 'CertificateError', message: expect.stringMatching(message) });
    expect(error).toMatchObject({ message: expect.not.stringContaining('\n') });
  });
});
