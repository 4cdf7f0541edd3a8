import { ConfigError, escapeText } from '../config.js';
import { CertificateError } from '../http/read-certificate.js';
import { raiseFileLimit } from '../store/level/format.js';
import { StoreError } from '../store/store-error.js';

/** An error in words a user can act on; one that nobody foresaw with where it came from. */
export function explain(error: unknown): string {
  if (error instanceof StoreError) return error.message;
  // They quote what the user wrote, which may have more than one line.
  if (error instanceof ConfigError || error instanceof CertificateError) return escapeText(error.message);
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `${error.message}. Another server uses the port; stop it, or choose another --tablePort.`;
  }
  if (code === 'EMFILE' || code === 'ENFILE') return `${error.message}. ${raiseFileLimit}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${error.message}. This machine has no such address; pass a --tableHost that it has, such as 127.0.0.1.`;
  }
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
    return `${error.message}. This user may not use the port; choose a --tablePort above 1023.`;
  }
  // What the system refuses is about its files and addresses, and a stack says nothing of them.
  if ('syscall' in error) return error.message;
  return error.stack ?? error.message;
}
