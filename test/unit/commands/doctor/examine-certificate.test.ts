import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineCertificate } from '../../../../src/commands/doctor/examine-certificate.js';
import { certificateFiles } from '../../../../src/http/own-certificate.js';
import { prepareTls, type TlsConfig } from '../../../../src/http/tls.js';
import { makeFolder } from '../../../support/open-store-on.js';
import { writeAuthority } from '../../../support/write-authority.js';

const dayMs = 86_400_000;

let folder: string;
let own: TlsConfig;
beforeAll(async () => {
  folder = await makeFolder();
  own = { kind: 'self-signed', folder: join(folder, 'own'), accounts: ['devstoreaccount1'] };
  await prepareTls(own, Date.now());
});
afterAll(() => rm(folder, { recursive: true }));

/** A certificate of somebody's own, in files. */
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
      says: 'none is needed: HTTP is served',
    });
  });

  it('of our own will be made where it is not there yet', async () => {
    const tls: TlsConfig = { kind: 'self-signed', folder: join(folder, 'none'), accounts: [] };

    expect((await examineCertificate(tls, Date.now())).says).toBe(
      `${certificateFiles(join(folder, 'none')).cert} will be made at the first start`,
    );
  });

  it('of a server that keeps nothing is made for each run', async () => {
    const tls: TlsConfig = { kind: 'self-signed', folder: undefined, accounts: [] };

    expect((await examineCertificate(tls, Date.now())).says).toMatch(/^one is made for each run/);
  });

  it('of version 0.1.0 is a problem, and stays as it is', async () => {
    const tls = { kind: 'self-signed', folder: join(folder, 'authority'), accounts: [] } as const;
    const before = await writeAuthority(tls.folder);

    expect(await examineCertificate(tls, Date.now())).toMatchObject({
      says: 'it can sign certificates for any host',
      remedy: expect.stringMatching(/^Start the server once: it is replaced/),
    });
    expect(await readFile(certificateFiles(tls.folder).cert, 'utf8')).toBe(before);
  });

  it('of our own is well', async () => {
    expect((await examineCertificate(own, Date.now())).says).toMatch(/^good for 82\d days, for DNS:localhost, /);
  });

  it.each([
    ['after its end', 900, /^it ended on /],
    ['shortly before its end', 800, /^it ends in 2[45] days, on /],
    ['before its beginning', -2, /^it is good only from /],
  ])('is a problem %s', async (_when, days, says) => {
    expect(await examineCertificate(own, Date.now() + days * dayMs)).toMatchObject({
      says: expect.stringMatching(says),
      remedy: expect.stringContaining(`Delete the folder ${join(folder, 'own')}`),
    });
  });

  it('that names another machine is a problem', async () => {
    const tls = await makeFiles('elsewhere', [{ type: 2, value: 'elsewhere.example' }]);

    expect(await examineCertificate(tls, Date.now())).toMatchObject({
      says: 'it names DNS:elsewhere.example, neither localhost nor 127.0.0.1',
      remedy: expect.stringMatching(/^Reach the server by a name it has/),
    });
  });

  it('with the key of another is a problem', async () => {
    const [one, other] = [await makeFiles('one', []), await makeFiles('other', [])];
    if (one.kind !== 'pem' || other.kind !== 'pem') throw new Error('they are PEM files');

    expect(await examineCertificate({ ...one, key: other.key }, Date.now())).toMatchObject({
      says: `The key in ${other.key} does not belong to the certificate in ${one.cert}`,
      remedy: 'Pass the key that the certificate was made with.',
    });
  });

  it('that is none is a problem', async () => {
    const file = join(folder, 'text.pfx');
    await writeFile(file, 'no certificate');

    expect(await examineCertificate({ kind: 'pfx', file, password: 'word' }, Date.now())).toMatchObject({
      says: expect.stringMatching(/^The PFX file .* cannot be served: /),
      remedy: 'It is damaged or not a PFX file; export it again.',
    });
  });

  it('whose file is not there is a problem', async () => {
    const missing = join(folder, 'missing.pem');

    expect(await examineCertificate({ kind: 'pem', cert: missing, key: missing }, Date.now())).toMatchObject({
      says: expect.stringContaining('missing.pem'),
      remedy: 'Pass the file of the certificate.',
    });
  });
});
