import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineCertificate } from '../../../../src/commands/doctor/examine-certificate.js';
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

/** Makes PEM files of a certificate for these names, as a user would. */
async function makeFiles(name: string, altNames: { type: 2; value: string }[]): Promise<TlsConfig> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + 90 * dayMs),
    extensions: altNames.length === 0 ? [] : [{ name: 'subjectAltName', altNames }],
  });
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
  await writeFile(cert, made.cert);
  await writeFile(key, made.private);
  return { kind: 'pem', cert, key };
}

describe('The certificate', () => {
  it('is not needed for HTTP', async () => {
    expect(await examineCertificate(undefined, Date.now())).toEqual({
      about: 'certificate',
      found: 'not needed for HTTP',
    });
  });

  it('that is self-signed will be created if it does not exist', async () => {
    const tls: TlsConfig = { kind: 'self-signed', folder: join(folder, 'none'), accounts: [] };

    expect((await examineCertificate(tls, Date.now())).found).toBe(
      `${certificateFiles(join(folder, 'none')).cert} will be created at the first start`,
    );
  });

  it('of a server in memory is made for each run', async () => {
    const tls: TlsConfig = { kind: 'self-signed', folder: undefined, accounts: [] };

    expect((await examineCertificate(tls, Date.now())).found).toMatch(/^a new one is made for each run/);
  });

  it('that is self-signed is good', async () => {
    expect((await examineCertificate(own, Date.now())).found).toMatch(/^valid for 82\d days, for DNS:localhost, /);
  });

  it.each([
    ['after its expiry', 900, /^it expired on /],
    ['shortly before its expiry', 800, /^it expires in 2[45] days, on /],
    ['before its start', -2, /^it is valid only from /],
  ])('is a problem %s', async (_when, days, found) => {
    expect(await examineCertificate(own, Date.now() + days * dayMs)).toMatchObject({
      found: expect.stringMatching(found),
      remedy: expect.stringContaining(`Delete the folder ${join(folder, 'own')}`),
    });
  });

  it('for another machine is a problem', async () => {
    const tls = await makeFiles('elsewhere', [{ type: 2, value: 'elsewhere.example' }]);

    expect(await examineCertificate(tls, Date.now())).toMatchObject({
      found: 'it is for DNS:elsewhere.example, not for localhost or 127.0.0.1',
      remedy: expect.stringMatching(/^Connect by a name in the certificate/),
    });
  });

  it('with the key of another certificate is a problem', async () => {
    const [one, other] = [await makeFiles('one', []), await makeFiles('other', [])];
    if (one.kind !== 'pem' || other.kind !== 'pem') throw new Error('they are PEM files');

    expect(await examineCertificate({ ...one, key: other.key }, Date.now())).toMatchObject({
      found: `The key in ${other.key} does not belong to the certificate in ${one.cert}`,
      remedy: 'Pass the key that the certificate was made with.',
    });
  });

  it('in a file of another kind is a problem', async () => {
    const file = join(folder, 'text.pfx');
    await writeFile(file, 'not a certificate');

    expect(await examineCertificate({ kind: 'pfx', file, password: 'word' }, Date.now())).toMatchObject({
      found: expect.stringMatching(/^The PFX file .* cannot be served: /),
      remedy: 'It is damaged or not a PFX file; export it again.',
    });
  });

  it('without a file is a problem', async () => {
    const missing = join(folder, 'missing.pem');

    expect(await examineCertificate({ kind: 'pem', cert: missing, key: missing }, Date.now())).toMatchObject({
      found: expect.stringContaining('missing.pem'),
      remedy: 'Pass the file of the certificate.',
    });
  });
});
