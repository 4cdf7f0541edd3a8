import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CertificateError, readCertificate } from './read-certificate.js';

/** Where a certificate of the server's own is kept, and which hosts it is for. */
export interface OwnCertificateConfig {
  /** Made at the first start and kept in this folder; undefined makes one for this run, whose key is never written. */
  readonly folder: string | undefined;
  readonly accounts: readonly string[];
  /** Further names and addresses by which clients reach the server. */
  readonly hosts?: readonly string[];
}

/** A certificate of the server's own, ready to be served. */
export interface OwnCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** File of the certificate, for clients to trust. */
  readonly file: string;
  /** What users have to know because an earlier certificate was replaced. */
  readonly notice: string | undefined;
  /** Removes what was written for this run alone. */
  dispose(): Promise<void>;
}

/** For how long a certificate is good; longer ones are not trusted everywhere. Unit: days. */
const certificateDays = 825;

/** Names and addresses of every server: this machine, and this machine as its containers see it. */
const usualHosts = ['localhost', '*.table.localhost', 'host.docker.internal', '127.0.0.1', '::1'];

/**
 * The hosts that a certificate has to name beyond the usual ones: the address to listen on, where it is one, and the
 * hosts that users allow.
 */
export function certificateHosts(host: string, allowedHosts: readonly string[]): readonly string[] {
  return [host, ...allowedHosts].filter((name) => !['', '*', '0.0.0.0', '::'].includes(name));
}

/** Files of a certificate that is kept. */
export function certificateFiles(folder: string): { cert: string; key: string } {
  return { cert: resolve(folder, 'certificate.pem'), key: resolve(folder, 'key.pem') };
}

/** How a certificate that is kept is made again. */
export function renewal(folder: string): string {
  return `Delete the folder ${folder}; a new certificate is made at the next start, and must be trusted again.`;
}

/**
 * Reads, or makes, the server's own certificate. `now` is in milliseconds since 1970.
 *
 * Errors: CertificateError when a file cannot be read; the system's when one cannot be written.
 */
export async function prepareOwnCertificate(config: OwnCertificateConfig, now: number): Promise<OwnCertificate> {
  const hosts = hostsOf(config);
  if (config.folder === undefined) return makeForOneRun(hosts);
  const files = certificateFiles(config.folder);
  const kept = { file: files.cert, dispose: async () => {} };
  const isThere = existsSync(files.cert) && existsSync(files.key);
  const replaced = isThere ? await findFault(config.folder, hosts, now) : undefined;
  const notice = replaced && (await putAside(config.folder, replaced));
  if (replaced || !isThere) {
    const { cert, key } = await makeCertificate(hosts);
    await mkdir(config.folder, { recursive: true });
    // The key first: a certificate without its key is replaced at the next start.
    await replaceFile(files.key, key, 0o600);
    await replaceFile(files.cert, cert, 0o644);
  }
  await keepPrivate(files.key);
  const [cert, key] = [await readFile(files.cert, 'utf8'), await readFile(files.key, 'utf8')];
  return { cert, key, notice, ...kept };
}

function hostsOf({ accounts, hosts = [] }: OwnCertificateConfig): readonly string[] {
  const ofAccounts = accounts.flatMap((name) => [`${name}.table.localhost`, `${name}-secondary.table.localhost`]);
  return [...new Set([...usualHosts, ...ofAccounts, ...hosts])];
}

/** The certificate for clients to trust goes to a temporary folder; the key stays in memory. */
async function makeForOneRun(hosts: readonly string[]): Promise<OwnCertificate> {
  const { cert, key } = await makeCertificate(hosts);
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-certificate-'));
  const file = join(folder, 'certificate.pem');
  await writeFile(file, cert);
  return { cert, key, file, notice: undefined, dispose: () => rm(folder, { recursive: true, force: true }) };
}

/** Why a certificate that was kept cannot be served any more. */
interface Fault {
  readonly reason: string;
  readonly certificate: X509Certificate;
}

/** What is wrong with the certificate that is kept; undefined where nothing is. */
async function findFault(folder: string, hosts: readonly string[], now: number): Promise<Fault | undefined> {
  const files = certificateFiles(folder);
  try {
    const certificate = new X509Certificate(await readFile(files.cert));
    const reason = faultOf(certificate, await readFile(files.key, 'utf8'), hosts, now);
    return reason === undefined ? undefined : { reason, certificate };
  } catch (error) {
    throw await nameFault(folder, error);
  }
}

/** The error of a file that cannot be read, with its name and what to do. */
async function nameFault(folder: string, error: unknown): Promise<unknown> {
  try {
    await readCertificate({ kind: 'pem', ...certificateFiles(folder) });
    return error;
  } catch (named) {
    return named instanceof CertificateError ? new CertificateError(named.fault, renewal(folder)) : error;
  }
}

function faultOf(certificate: X509Certificate, key: string, hosts: readonly string[], now: number): string | undefined {
  // Versions up to 0.1.0 made one that could sign for any host, and told users to trust it.
  if (certificate.ca) return 'could sign certificates for any host';
  if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'did not belong to its key';
  if (Date.parse(certificate.validTo) <= now) return `ended on ${certificate.validTo}`;
  const missing = hosts.find((host) => !isFor(certificate, host));
  return missing === undefined ? undefined : `was not for ${missing}`;
}

function isFor(certificate: X509Certificate, host: string): boolean {
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  // A name in the place of the star is one that the star stands for.
  return certificate.checkHost(host.replace(/^\*\./, 'any.')) !== undefined;
}

/** Keeps the old certificate, without its key, so that users can find it in their trust stores and remove it. */
async function putAside(folder: string, { reason, certificate }: Fault): Promise<string> {
  const { cert } = certificateFiles(folder);
  const old = resolve(folder, 'replaced-certificate.pem');
  await copyFile(cert, old);
  return (
    `The certificate ${cert} ${reason}. It was replaced by a new one: trust the new one. ` +
    `Remove the old one from every store that trusts it; it is kept as ${old}, ` +
    `its SHA-256 fingerprint is ${certificate.fingerprint256}.`
  );
}

/** Writes a file whole, with this mode from its first byte on. */
async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const written = `${file}.${process.pid}.new`;
  await rm(written, { force: true });
  await writeFile(written, text, { mode, flag: 'wx' });
  await rename(written, file);
}

/** Takes the key of an earlier version, or one that was copied, from the other users of the machine. */
async function keepPrivate(key: string): Promise<void> {
  if (process.platform !== 'win32' && ((await stat(key)).mode & 0o077) !== 0) await chmod(key, 0o600);
}

/**
 * Makes a certificate that is good for these hosts and can sign nothing: its own signature is the only one it has, so
 * who trusts it trusts one server. It has no key usage: OpenSSL before 3.0 trusts a certificate that is signed by
 * itself only if its usages, where it names any, include signing certificates.
 */
async function makeCertificate(hosts: readonly string[]): Promise<{ cert: string; key: string }> {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'Tabularium on this machine' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + certificateDays * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host })),
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}
