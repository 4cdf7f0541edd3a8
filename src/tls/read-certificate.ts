import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readUserFile, reasonOf } from '../user-files/read-text-file.js';

/** Files of a certificate: a PEM pair, whose key may be encrypted, or a PFX file. */
export type CertificateFiles =
  | { readonly kind: 'pem'; readonly cert: string; readonly key: string; readonly password?: string | undefined }
  | { readonly kind: 'pfx'; readonly file: string; readonly password: string | undefined };

/** The options of the HTTPS server of Node.js. */
export interface TlsOptions {
  readonly cert?: Buffer | string;
  readonly key?: Buffer | string;
  readonly pfx?: Buffer;
  readonly passphrase?: string;
}

/** A certificate that cannot be used. The message names the fault, then the fix. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  readonly fault: string;
  readonly remedy: string;

  constructor(fault: string, remedy: string) {
    super(`${fault}. ${remedy}`);
    this.fault = fault;
    this.remedy = remedy;
  }
}

/**
 * Reads a certificate and checks that it can be used: the files are readable and of the right kind, and the key belongs to
 * the certificate.
 *
 * Errors: CertificateError with the name of the file at fault.
 */
export async function readCertificate(files: CertificateFiles): Promise<TlsOptions> {
  return files.kind === 'pem' ? readPair(files) : readPfx(files);
}

async function readPair({ cert, key, password }: Extract<CertificateFiles, { kind: 'pem' }>): Promise<TlsOptions> {
  const options = {
    cert: await readNamed('certificate', cert),
    key: await readNamed('key', key),
    ...(password !== undefined && { passphrase: password }),
  };
  const certificate = parseCertificate(options.cert, cert);
  const secret = parseKey(options.key, key, password);
  if (!certificate.checkPrivateKey(secret)) {
    throw new CertificateError(
      `The key in ${key} does not belong to the certificate in ${cert}`,
      'Pass the key that the certificate was made with.',
    );
  }
  return servable(
    options,
    () => `The certificate in ${cert}`,
    () => 'Make a new one, or let --https make one.',
  );
}

async function readPfx({ file, password }: Extract<CertificateFiles, { kind: 'pfx' }>): Promise<TlsOptions> {
  const pfx = await readNamed('certificate', file);
  if (isPem(pfx)) {
    throw new CertificateError(`${file} is a PEM file, not a PFX file`, 'Pass its key as well, with --key.');
  }
  const options = password === undefined ? { pfx } : { pfx, passphrase: password };
  return servable(
    options,
    () => `The PFX file ${file}`,
    (message) => pfxFix(message, password),
  );
}

/** Returns the fix for a PFX file, by the message of OpenSSL. */
function pfxFix(message: string, password: string | undefined): string {
  if (/mac verify/i.test(message)) {
    return password === undefined ? 'Pass its password with --pwd.' : 'The password is wrong; pass its own with --pwd.';
  }
  if (/unsupported/i.test(message)) {
    return 'It is encrypted in an old form; export it again with AES, for example with a current openssl.';
  }
  if (/private key/i.test(message)) return 'It has no private key; export it again with its key.';
  return 'It is damaged or not a PFX file; export it again.';
}

/** Returns options that the TLS of Node.js accepts. Errors: CertificateError, with the fix. */
function servable(options: TlsOptions, subject: () => string, remedyOf: (message: string) => string): TlsOptions {
  try {
    createSecureContext(options);
    return options;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`${subject()} cannot be served: ${message}`, remedyOf(message));
  }
}

async function readNamed(role: 'certificate' | 'key', path: string): Promise<Buffer> {
  let content: Buffer;
  try {
    content = await readUserFile(path);
  } catch (error) {
    throw new CertificateError(
      `The ${role} ${path} cannot be read: ${reasonOf(error)}`,
      `Pass the file of the ${role}.`,
    );
  }
  if (content.length > 0) return content;
  throw new CertificateError(`The ${role} ${path} is empty`, `Pass the file of the ${role}.`);
}

function parseCertificate(content: Buffer, path: string): X509Certificate {
  try {
    // The TLS of Node.js accepts only PEM, but its parser also accepts DER.
    if (isPem(content)) return new X509Certificate(content);
  } catch {
    // The message is the same as for a file of another kind.
  }
  throw new CertificateError(
    `${path} is not a PEM certificate`,
    'Pass one that begins with -----BEGIN CERTIFICATE-----; for a PFX file pass --pwd instead of --key.',
  );
}

function parseKey(content: Buffer, path: string, password: string | undefined): KeyObject {
  const text = content.toString('latin1');
  const isEncrypted = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text);
  if (isEncrypted && password === undefined) {
    throw new CertificateError(`The key ${path} is encrypted`, 'Pass its password with --pwd.');
  }
  try {
    return createPrivateKey({ key: content, ...(password !== undefined && { passphrase: password }) });
  } catch {
    throw isEncrypted
      ? new CertificateError(`The password does not open the key ${path}`, 'Pass the password of the key with --pwd.')
      : new CertificateError(`${path} is not a PEM key`, 'Pass one that has a line with BEGIN PRIVATE KEY.');
  }
}

function isPem(content: Buffer): boolean {
  return content.includes('-----BEGIN ');
}
