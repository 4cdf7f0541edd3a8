import { StoreError } from '../store-error.js';
import { StoreUnavailable } from '../store-unavailable.js';
import { type DatabaseAddress, nameOf } from './database-address.js';
import { isUntrusted } from './failures.js';

/** Returns the error of a database that cannot be opened, with what to do. It never contains the password. */
export function explainOpenFailure(error: unknown, address: DatabaseAddress): StoreError {
  if (error instanceof StoreError) return error;
  const cause = error instanceof StoreUnavailable ? (error.cause ?? error) : error;
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  return new StoreError(
    'no-access',
    `${capital(nameOf(address))} cannot be opened: ${reason}.`,
    isUntrusted(cause)
      ? 'Name the authority of its certificate with sslrootcert=<file> in the URL, and use a host name of the certificate. sslmode=require does not verify it, sslmode=disable does not encrypt.'
      : 'Check that the database runs, its address, user and password, and that the user may create a schema in it.',
  );
}

/** Returns a text with a capital letter at its start. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
