import { ConfigError } from '../config.js';
import { raiseFileLimit, StoreError } from '../store/format.js';

/** An error in words a user can act on; one that nobody foresaw with where it came from. */
export function explain(error: unknown): string {
  if (error instanceof StoreError || error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `${error.message}. Another server uses the port; stop it, or choose another --tablePort.`;
  }
  if (code === 'EMFILE' || code === 'ENFILE') return `${error.message}. ${raiseFileLimit}`;
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'ENOENT') return error.message;
  return error.stack ?? error.message;
}
