import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ClientConfig } from 'pg';
import { databaseUrls } from '../../../database-url.js';
import { StoreError } from '../../store-error.js';
import type { DatabasePlace } from '../../store-options.js';

/** A database and the schema in it. */
export type DatabaseAddress = Pick<DatabasePlace, 'url' | 'schema'>;

/** The settings of a database client, with their address. */
export interface DatabaseConfig extends Omit<ClientConfig, 'host' | 'port' | 'ssl'> {
  readonly address: DatabaseAddress;
  /** The hosts of the database, in the order of the address. */
  readonly hosts: readonly Pick<ClientConfig, 'host' | 'port' | 'ssl'>[];
  /** The time limit of a statement for a lock, in the database's notation. Absent: none of its own. */
  readonly lockTimeout?: string;
  /** Whether not even reads may use a standby. */
  readonly isPrimaryOnly: boolean;
}

const usedParameters = ['host', 'sslmode', 'sslrootcert', 'target_session_attrs'];

/** The values of `target_session_attrs`. All prefer the primary; only `any` falls back to a standby for reads. */
const sessionAttributes = ['any', 'read-write', 'primary'];

/** The time limit for a connection. Unit: milliseconds. */
export const connectMs = 5000;

/** The time limit for the database at the start. Unit: milliseconds. */
export const openMs = 10_000;

/**
 * Returns the client's settings for a database. TLS is verified, except on this machine, with `sslmode=disable`, or with
 * `sslmode=require` for TLS without verification. Errors: StoreError for an unusable URL, which it never quotes, because of passwords.
 */
export function readAddress({ url, schema }: DatabaseAddress): DatabaseConfig {
  const [parsed] = parseUrl(url);
  const parameters = parsed.searchParams;
  const unused = [...parameters.keys()].find((name) => !usedParameters.includes(name));
  if (unused !== undefined) {
    const remedy = `Remove it. These are: ${usedParameters.join(', ')}.`;
    throw new StoreError('no-access', `The parameter ${unused} in the address of the database is not used.`, remedy);
  }
  const attributes = parameters.get('target_session_attrs') ?? 'any';
  if (!sessionAttributes.includes(attributes)) throw unknownValue('target_session_attrs', sessionAttributes);
  const database = decodeURIComponent(parsed.pathname.slice(1));
  const password = decodeURIComponent(parsed.password);
  return {
    address: { url, schema },
    hosts: hostsOf(url).map(({ name, port }) => {
      // The client would read PGHOST itself, but TLS depends on the host.
      const host = name === '' ? (process.env['PGHOST'] ?? '') : name;
      const ssl = readTls(host, parameters);
      return { ...(host !== '' && { host }), ...(port !== '' && { port: Number(port) }), ssl };
    }),
    isPrimaryOnly: attributes !== 'any',
    ...(parsed.username !== '' && { user: decodeURIComponent(parsed.username) }),
    // Without one, the client reads PGPASSWORD and PGPASSFILE.
    ...(password !== '' && { password }),
    ...(database !== '' && { database }),
    application_name: 'tabularium',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Returns the name of a database for messages, without user and password. */
export function nameOf({ url, schema }: DatabaseAddress): string {
  const at = hostsOf(url).map(
    ({ name, port }) => `${name === '' ? 'the default host' : name}${port === '' ? '' : `:${port}`}`,
  );
  const database = decodeURIComponent(parseUrl(url)[0].pathname.slice(1)) || '(default)';
  return `the schema ${schema} of the database ${database} at ${at.join(', ')}`;
}

/** Quotes a name for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the hosts of an address. An empty name is the default host, an empty port the default port. */
function hostsOf(url: string): readonly { readonly name: string; readonly port: string }[] {
  const urls = parseUrl(url);
  const named = urls[0].searchParams.get('host')?.split(',');
  const names = named ?? urls.map(({ hostname }) => decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1')));
  return names.map((name, at) => ({ name, port: (urls[at] ?? urls[0]).port }));
}

/** Returns one URL per host of an address. */
function parseUrl(url: string): readonly [URL, ...URL[]] {
  const [first, ...others] = isDecodable(url) ? databaseUrls(url) : [];
  if (first) return [first, ...others];
  throw new StoreError(
    'no-access',
    'The address of the database is not a URL.',
    'Write it as postgres://user@host:5432/database, and encode special characters.',
  );
}

function isDecodable(url: string): boolean {
  try {
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}

function unknownValue(parameter: string, values: readonly string[]): StoreError {
  const remedy = `Use ${values.slice(0, -1).join(', ')} or ${values.at(-1)}.`;
  return new StoreError('no-access', `${parameter} in the address of the database has no such value.`, remedy);
}

function readTls(host: string, parameters: URLSearchParams): ClientConfig['ssl'] {
  const mode = parameters.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  if (mode === 'require') return { rejectUnauthorized: false };
  if (mode !== 'verify-full') throw unknownValue('sslmode', ['verify-full', 'require', 'disable']);
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

/** Whether a connection stays on this machine: by loopback, or by a socket in the file system. */
function isLocal(host: string): boolean {
  return host === '' || host.startsWith('/') || /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
}
