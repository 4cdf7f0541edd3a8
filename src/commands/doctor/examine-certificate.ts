import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { certificateFiles, renewal } from '../../http/own-certificate.js';
import {
  CertificateError,
  type CertificateFiles,
  readCertificate,
  type TlsOptions,
} from '../../http/read-certificate.js';
import type { TlsConfig } from '../../http/tls.js';
import { type Finding, messageOf } from './finding.js';

/** How long a certificate must still be good for nobody to be surprised. Unit: days. */
const noticeDays = 30;

const about = 'certificate';

/** Whether the certificate can be read, belongs to its key, is good for long enough, and names this machine. */
export async function examineCertificate(tls: TlsConfig | undefined, now: number): Promise<Finding> {
  if (tls === undefined) return { about, says: 'none is needed: HTTP is served' };
  if (tls.kind === 'self-signed') {
    if (tls.folder === undefined) return { about, says: 'one is made for each run, since nothing is kept' };
    const { cert, key } = certificateFiles(tls.folder);
    if (!(existsSync(cert) && existsSync(key))) return { about, says: `${cert} will be made at the first start` };
  }
  const renew = renewalOf(tls);
  let options: TlsOptions;
  try {
    options = await readCertificate(filesOf(tls));
  } catch (error) {
    if (error instanceof CertificateError) {
      return { about, says: error.fault, remedy: tls.kind === 'self-signed' ? renew : error.remedy };
    }
    return { about, says: messageOf(error), remedy: 'Name files that this user can read.' };
  }
  try {
    const certificate = await presentedBy(options);
    if (tls.kind === 'self-signed' && certificate.ca) {
      return { about, says: 'it can sign certificates for any host', remedy: authorityRemedy };
    }
    return judge(certificate, now, renew);
  } catch (error) {
    return { about, says: `it cannot be served: ${messageOf(error)}`, remedy: renew };
  }
}

/** What to do about a certificate of version 0.1.0. */
const authorityRemedy =
  'Start the server once: it is replaced. Trust the new one and remove the old one from every store that trusts it.';

/** The files to read. Nothing is made or changed: only a server does that. */
function filesOf(tls: TlsConfig): CertificateFiles {
  return tls.kind === 'self-signed' ? { kind: 'pem', ...certificateFiles(tls.folder ?? '') } : tls;
}

function judge(certificate: X509Certificate, now: number, renew: string): Finding {
  const end = Date.parse(certificate.validTo);
  if (Date.parse(certificate.validFrom) > now) {
    return { about, says: `it is good only from ${certificate.validFrom}`, remedy: `Set the clock. ${renew}` };
  }
  if (end <= now) return { about, says: `it ended on ${certificate.validTo}`, remedy: renew };
  const days = Math.floor((end - now) / 86_400_000);
  if (days < noticeDays) return { about, says: `it ends in ${days} days, on ${certificate.validTo}`, remedy: renew };
  const names = certificate.subjectAltName;
  const isOfHere = certificate.checkHost('localhost') ?? certificate.checkIP('127.0.0.1');
  if (names === undefined) {
    return { about, says: 'it has no subject alternative names, which clients insist on', remedy: renew };
  }
  if (isOfHere === undefined) {
    return {
      about,
      says: `it names ${names}, neither localhost nor 127.0.0.1`,
      remedy: `Reach the server by a name it has, or take one for localhost and 127.0.0.1. ${renew}`,
    };
  }
  return { about, says: `good for ${days} days, for ${names}` };
}

function renewalOf(tls: TlsConfig): string {
  if (tls.kind !== 'self-signed') return 'Get a new certificate, or let --https make one.';
  return renewal(tls.folder ?? '');
}

/** The certificate as a client gets it. A file of either kind is known to work only when it was served. */
async function presentedBy(options: TlsOptions): Promise<X509Certificate> {
  const server = createServer({ ...options });
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerX509Certificate();
    socket.destroy();
    if (!certificate) throw new Error('it presents nothing');
    return certificate;
  } finally {
    server.close();
  }
}
