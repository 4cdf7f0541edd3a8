import { Client } from 'pg';
import { StoreError } from '../../store-error.js';
import { StoreUnavailable } from '../../store-unavailable.js';
import { type DatabaseAddress, nameOf, quoteName, readAddress } from './database-address.js';
import { isForbidden, isUntrusted } from './failures.js';

/** Returns the error, with the fix, for a database that cannot be opened. It never contains the password. */
export function explainOpenFailure(error: unknown, address: DatabaseAddress): StoreError {
  if (error instanceof StoreError) return error;
  const cause = error instanceof StoreUnavailable ? (error.cause ?? error) : error;
  if (cause instanceof StoreError) return cause;
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  return new StoreError(
    'no-access',
    `${capital(nameOf(address))} cannot be opened: ${reason}.`,
    remedyFor(cause, address),
  );
}

function remedyFor(cause: unknown, address: DatabaseAddress): string {
  if (isUntrusted(cause)) {
    return 'Name the authority of its certificate with sslrootcert=<file> in the URL, and use a host name of the certificate. sslmode=require does not verify it, sslmode=disable does not encrypt.';
  }
  if (isForbidden(cause)) {
    const { database, user } = new Client(readAddress(address));
    const grant = `GRANT CONNECT ON DATABASE ${quoteName(database ?? '')} TO ${quoteName(user ?? '')}`;
    return `To let the user connect, run as an owner: ${grant}. For an upgrade, start this version once as the owner of the tables.`;
  }
  return 'Check that the database runs, its address, user and password, and that the user may create a schema in it.';
}

/** Capitalizes a text. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
