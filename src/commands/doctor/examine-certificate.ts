import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { certificateFiles, renewal, type TlsConfig } from '../../tls/own-certificate.js';
import {
  CertificateError,
  type CertificateFiles,
  readCertificate,
  type TlsOptions,
} from '../../tls/read-certificate.js';
import { type Finding, messageOf } from './finding.js';

/** Remaining validity below which a certificate is reported as a problem. Unit: days. */
const noticeDays = 30;

const about = 'certificate';

/**
 * Checks that the certificate can be read, belongs to its key, is valid for long enough, and names this machine. `now`
 * is in milliseconds since 1970.
 */
export async function examineCertificate(tls: TlsConfig | undefined, now: number): Promise<Finding> {
  if (tls === undefined) return { about, found: 'not needed for HTTP' };
  if (tls.kind === 'self-signed') {
    if (tls.folder === undefined) {
      return { about, found: 'a new one is made for each run, because the data is in memory' };
    }
    const { cert, key } = certificateFiles(tls.folder);
    if (!(existsSync(cert) && existsSync(key))) return { about, found: `${cert} will be created at the first start` };
  }
  const renew = renewalOf(tls);
  let options: TlsOptions;
  try {
    options = await readCertificate(filesOf(tls));
  } catch (error) {
    if (error instanceof CertificateError) {
      return { about, found: error.fault, remedy: tls.kind === 'self-signed' ? renew : error.remedy };
    }
    return { about, found: messageOf(error), remedy: 'Pass files that this user can read.' };
  }
  try {
    return judge(await presentedBy(options), now, renew);
  } catch (error) {
    return { about, found: `it cannot be served: ${messageOf(error)}`, remedy: renew };
  }
}

/** Returns the files to read. Only a server creates or changes them. */
function filesOf(tls: TlsConfig): CertificateFiles {
  return tls.kind === 'self-signed' ? { kind: 'pem', ...certificateFiles(tls.folder ?? '') } : tls;
}

function judge(certificate: X509Certificate, now: number, renew: string): Finding {
  const end = Date.parse(certificate.validTo);
  if (Date.parse(certificate.validFrom) > now) {
    return { about, found: `it is valid only from ${certificate.validFrom}`, remedy: `Set the clock. ${renew}` };
  }
  if (end <= now) return { about, found: `it expired on ${certificate.validTo}`, remedy: renew };
  const days = Math.floor((end - now) / 86_400_000);
  if (days < noticeDays) {
    return { about, found: `it expires in ${days} days, on ${certificate.validTo}`, remedy: renew };
  }
  const names = certificate.subjectAltName;
  const isForThisMachine = certificate.checkHost('localhost') ?? certificate.checkIP('127.0.0.1');
  if (names === undefined) {
    return { about, found: 'it has no subject alternative names, which clients require', remedy: renew };
  }
  if (isForThisMachine === undefined) {
    return {
      about,
      found: `it is for ${names}, not for localhost or 127.0.0.1`,
      remedy: `Connect by a name in the certificate, or use a certificate for localhost and 127.0.0.1. ${renew}`,
    };
  }
  return { about, found: `valid for ${days} days, for ${names}` };
}

function renewalOf(tls: TlsConfig): string {
  if (tls.kind !== 'self-signed') return 'Get a new certificate, or use --https to make one.';
  return renewal(tls.folder ?? '');
}

/** Returns the certificate that a client receives. Serving it is the only complete check of the files. */
async function presentedBy(options: TlsOptions): Promise<X509Certificate> {
  const server = createServer({ ...options });
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerX509Certificate();
    socket.destroy();
    if (!certificate) throw new Error('the server presents no certificate');
    return certificate;
  } finally {
    server.close();
  }
}
