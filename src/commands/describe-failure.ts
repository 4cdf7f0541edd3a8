import { ConfigError, escapeText } from '../config.js';
import { StateFault } from '../state/state-fault.js';
import { raiseFileLimit } from '../store/level/explain-failure.js';
import { StoreError } from '../store/store-error.js';
import { CertificateError } from '../tls/read-certificate.js';
import { RejectedCall } from '../verbs/verb.js';

/** Returns the message of an error for a user, with the fix if one is known, or the stack of an unexpected error. */
export function describeFailure(error: unknown): string {
  if (error instanceof StoreError) return error.message;
  // These messages quote user input, which may contain line breaks.
  if (
    error instanceof ConfigError ||
    error instanceof CertificateError ||
    error instanceof StateFault ||
    error instanceof RejectedCall
  ) {
    return escapeText(error.message);
  }
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `${error.message}. Another server uses the port. Stop it, or choose another --tablePort or --cosmosPort.`;
  }
  if (code === 'EMFILE' || code === 'ENFILE') return `${error.message}. ${raiseFileLimit}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${error.message}. This machine does not have the address. Pass another --tableHost, such as 127.0.0.1.`;
  }
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
    return `${error.message}. This user may not use the port. ${explainForbiddenPort('--tablePort')}`;
  }
  // Node.js has no other sign of a response that was cut off.
  if (code === 'ECONNRESET' && error.message === 'aborted') {
    return 'The server closed the connection before the end of its answer. It may have exited: see its log.';
  }
  // A system error names its file or address. A stack would add nothing.
  if ('syscall' in error) return error.message;
  return error.stack ?? error.message;
}

/** Returns the fix for a forbidden port. Windows reserves whole ranges, for example for Hyper-V and WSL. */
export function explainForbiddenPort(flag: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32'
    ? `Windows may have reserved it: 'netsh int ipv4 show excludedportrange protocol=tcp' lists the ranges. Choose a ${flag} outside of them.`
    : `Choose a ${flag} above 1023.`;
}
