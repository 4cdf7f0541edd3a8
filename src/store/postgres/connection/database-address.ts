import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ClientConfig } from 'pg';
import { StoreError } from '../../store-error.js';
import type { DatabasePlace } from '../../store-options.js';

/** A database and the schema in it. */
export type DatabaseAddress = Pick<DatabasePlace, 'url' | 'schema'>;

/** The settings of a client of the database, with the address that they were read from. */
export interface DatabaseConfig extends ClientConfig {
  readonly address: DatabaseAddress;
}

/** How long to wait for a connection. Unit: milliseconds. */
export const connectMs = 5000;

/**
 * Returns the client's settings for a database. TLS is verified unless the host is this machine, or the URL says
 * `sslmode=disable`, or `sslmode=require` for TLS without verification.
 *
 * Errors: StoreError for a URL that cannot be used. The message never contains the URL, which may hold a password.
 */
export function readAddress({ url, schema }: DatabaseAddress): DatabaseConfig {
  const parsed = parseUrl(url);
  const parameters = parsed.searchParams;
  const named = parameters.get('host') ?? decodeURIComponent(parsed.hostname.replace(/^\[(.*)\]$/, '$1'));
  // The client would take it from there, but TLS is decided here.
  const host = named === '' ? (process.env['PGHOST'] ?? '') : named;
  const database = decodeURIComponent(parsed.pathname.slice(1));
  const password = decodeURIComponent(parsed.password);
  return {
    address: { url, schema },
    ...(host !== '' && { host }),
    ...(parsed.port !== '' && { port: Number(parsed.port) }),
    ...(parsed.username !== '' && { user: decodeURIComponent(parsed.username) }),
    // Without one, the client looks into PGPASSWORD and PGPASSFILE.
    ...(password !== '' && { password }),
    ...(database !== '' && { database }),
    ssl: readTls(host, parameters),
    application_name: 'tabularium',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Returns how messages name a database: without user and password. */
export function nameOf({ url, schema }: DatabaseAddress): string {
  const { hostname, port, pathname, searchParams } = parseUrl(url);
  const host = searchParams.get('host') ?? hostname;
  const at = `${host === '' ? 'the default host' : decodeURIComponent(host)}${port === '' ? '' : `:${port}`}`;
  return `the schema ${schema} of the database ${decodeURIComponent(pathname.slice(1)) || '(default)'} at ${at}`;
}

/** Returns a name quoted for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function parseUrl(url: string): URL {
  try {
    // What is decoded later must be possible to decode.
    decodeURIComponent(url);
    return new URL(url);
  } catch {
    throw new StoreError(
      'no-access',
      'The address of the database is not a URL.',
      'Write it as postgres://user@host:5432/database, and encode special characters.',
    );
  }
}

function readTls(host: string, parameters: URLSearchParams): ClientConfig['ssl'] {
  const mode = parameters.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  if (mode === 'require') return { rejectUnauthorized: false };
  if (mode !== 'verify-full') {
    throw new StoreError(
      'no-access',
      'sslmode in the address of the database has no such value.',
      'Use verify-full, require or disable.',
    );
  }
  const file = parameters.get('sslrootcert');
  if (file !== null && !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new StoreError(
      'no-access',
      'The file of sslrootcert does not exist, or is not a file.',
      'Correct the address of the database.',
    );
  }
  return {
    rejectUnauthorized: true,
    ...(file !== null && { ca: readFileSync(file, 'utf8') }),
    ...(isIP(host) === 0 && { servername: host }),
  };
}

/** Returns whether a connection stays on this machine: by loopback, or by a socket in the file system. */
function isLocal(host: string): boolean {
  return host === '' || host.startsWith('/') || /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
}
