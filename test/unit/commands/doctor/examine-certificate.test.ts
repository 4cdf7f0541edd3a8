import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineCertificate } from '../../../../src/commands/doctor/examine.js';
import { certificateFiles, prepareTls, type TlsConfig } from '../../../../src/tls/own-certificate.js';
import { makeFolder } from '../../../support/programs/make-folder.js';

const dayMs = 86_400_000;

let folder: string;
let own: TlsConfig;
beforeAll(async () => {
  folder = await makeFolder();
  own = { kind: 'self-signed', folder: join(folder, 'own'), accounts: ['devstoreaccount1'] };
  await prepareTls(own, Date.now());
});
afterAll(() => rm(folder, { recursive: true }));

/** Makes PEM files of a certificate, as a user would. */
async function makeFiles(name: string): Promise<TlsConfig> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 90 * dayMs),
  });
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
  await writeFile(cert, made.cert);
  await writeFile(key, made.private);
  return { kind: 'pem', cert, key };
}

describe('The certificate', () => {
  it('that is self-signed will be created if it does not exist', async () => {
    const tls: TlsConfig = { kind: 'self-signed', folder: join(folder, 'none'), accounts: [] };

    expect((await examineCertificate(tls, Date.now())).result).toBe(
      `${certificateFiles(join(folder, 'none')).cert} will be created at the first start`,
    );
  });

  it('of a server in memory is made for each run', async () => {
    const tls: TlsConfig = { kind: 'self-signed', folder: undefined, accounts: [] };

    expect((await examineCertificate(tls, Date.now())).result).toMatch(/^a new one is made for each run/);
  });

  it('that is self-signed is good', async () => {
    expect((await examineCertificate(own, Date.now())).result).toMatch(/^it can be served, until /);
  });

  it('is a problem after its expiry', async () => {
    expect(await examineCertificate(own, Date.now() + 900 * dayMs)).toMatchObject({
      result: expect.stringMatching(/^it expired on /),
      remedy: expect.stringContaining(`Delete the folder ${join(folder, 'own')}`),
    });
  });

  it('with the key of another certificate is a problem', async () => {
    const [one, other] = [await makeFiles('one'), await makeFiles('other')];
    if (one.kind !== 'pem' || other.kind !== 'pem') throw new Error('they are PEM files');

    expect(await examineCertificate({ ...one, key: other.key }, Date.now())).toMatchObject({
      result: `The key in ${other.key} does not belong to the certificate in ${one.cert}`,
      remedy: 'Pass the key that the certificate was made with.',
    });
  });

  it('in a file of another kind is a problem', async () => {
    const file = join(folder, 'text.pfx');
    await writeFile(file, 'not a certificate');

    expect(await examineCertificate({ kind: 'pfx', file, password: 'word' }, Date.now())).toMatchObject({
      result: expect.stringMatching(/^The PFX file .* cannot be served: /),
      remedy: 'It is damaged or not a PFX file; export it again.',
    });
  });

  it('without a file is a problem', async () => {
    const missing = join(folder, 'missing.pem');

    expect(await examineCertificate({ kind: 'pem', cert: missing, key: missing }, Date.now())).toMatchObject({
      result: expect.stringContaining('missing.pem'),
      remedy: 'Pass the file of the certificate.',
    });
  });
});
