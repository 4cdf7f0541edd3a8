import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { CertificateError, type TlsOptions } from '../../http/read-certificate.js';
import { certificateFiles, readTls, renewal, type TlsConfig } from '../../http/tls.js';
import { type Finding, messageOf } from './finding.js';

/** How long a certificate must still be good for nobody to be surprised. Unit: days. */
const noticeDays = 30;

const about = 'certificate';

/** Whether the certificate can be read, belongs to its key, is good for long enough, and names this machine. */
export async function examineCertificate(tls: TlsConfig | undefined, now: number): Promise<Finding> {
  if (tls === undefined) return { about, says: 'none is needed: HTTP is served' };
  if (tls.kind === 'self-signed') {
    const { cert, key } = certificateFiles(tls.folder);
    if (!(existsSync(cert) && existsSync(key))) return { about, says: `${cert} will be made at the first start` };
  }
  const renew = mendOf(tls);
  let options: TlsOptions;
  try {
    options = await readTls(tls);
  } catch (error) {
    if (error instanceof CertificateError) return { about, says: error.fault, mend: error.fix };
    return { about, says: messageOf(error), mend: 'Name files that this user can read.' };
  }
  try {
    return judge(await presentedBy(options), now, renew);
  } catch (error) {
    return { about, says: `it cannot be served: ${messageOf(error)}`, mend: renew };
  }
}

function judge(certificate: X509Certificate, now: number, renew: string): Finding {
  const end = Date.parse(certificate.validTo);
  if (Date.parse(certificate.validFrom) > now) {
    return { about, says: `it is good only from ${certificate.validFrom}`, mend: `Set the clock. ${renew}` };
  }
  if (end <= now) return { about, says: `it ended on ${certificate.validTo}`, mend: renew };
  const days = Math.floor((end - now) / 86_400_000);
  if (days < noticeDays) return { about, says: `it ends in ${days} days, on ${certificate.validTo}`, mend: renew };
  const names = certificate.subjectAltName;
  const isOfHere = certificate.checkHost('localhost') ?? certificate.checkIP('127.0.0.1');
  if (names === undefined) {
    return { about, says: 'it has no subject alternative names, which clients insist on', mend: renew };
  }
  if (isOfHere === undefined) {
    return {
      about,
      says: `it names ${names}, neither localhost nor 127.0.0.1`,
      mend: `Reach the server by a name it has, or take one for localhost and 127.0.0.1. ${renew}`,
    };
  }
  return { about, says: `good for ${days} days, for ${names}` };
}

function mendOf(tls: TlsConfig): string {
  if (tls.kind !== 'self-signed') return 'Get a new certificate, or let --https make one.';
  return renewal(tls.folder);
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
