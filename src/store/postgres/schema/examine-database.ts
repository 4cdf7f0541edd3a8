import type pg from 'pg';
import { checkSessions } from '../connection/check-sessions.js';
import { Connection } from '../connection/connection.js';
import { type DatabaseAddress, nameOf, readAddress } from '../connection/database-address.js';
import { explainOpenFailure } from '../connection/explain-open-failure.js';
import { findMissingGrants } from './check-rights.js';
import { checkServer, readVersion } from './create-schema.js';
import { type DatabaseFault, findHolders } from './find-holders.js';

/** What an examination found. */
export interface DatabaseExamination {
  /** The address and the version, as a sentence without its end. */
  readonly found: string;
  /** What an acknowledged write survives. */
  readonly replication: string;
  readonly faults: readonly DatabaseFault[];
}

/** How long the database may take to answer. Unit: milliseconds. */
const examineMs = 5000;

interface Settings {
  readonly version: string;
  readonly fsync: string;
  readonly commit: string;
  readonly standbys: string;
  readonly free: string;
}

const readSettings = `SELECT current_setting('server_version') AS version,
 current_setting('fsync') AS fsync,
 current_setting('synchronous_commit') AS commit,
 current_setting('synchronous_standby_names') AS standbys,
 (current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity))::text AS free`;

/**
 * Finds out whether a server could use a database, and what its settings promise. Changes nothing.
 *
 * Errors: StoreError when it cannot be used, with what to do.
 */
export async function examineDatabase(
  address: DatabaseAddress & { readonly connections: number },
): Promise<DatabaseExamination> {
  const config = readAddress(address);
  const connection = new Connection(config);
  try {
    const client = await connection.open(performance.now() + examineMs);
    await checkServer(client, address);
    await checkSessions(client, config);
    const settings = (await client.query(readSettings)).rows[0] as Settings;
    const grants = await findMissingGrants(client, address);
    const contents = grants.length === 0 ? await examineContents(client, address) : unreadable(grants);
    return {
      found: `PostgreSQL ${settings.version}, ${nameOf(address)}, ${contents.state}`,
      replication: describeReplication(settings),
      faults: [...contents.faults, ...findFaults(settings, address), ...(await findHolders(client))],
    };
  } catch (error) {
    throw explainOpenFailure(error, address);
  } finally {
    await connection.end();
  }
}

/** What a schema has, in a few words, and what is wrong with it. */
interface Contents {
  readonly state: string;
  readonly faults: readonly DatabaseFault[];
}

function unreadable(grants: readonly string[]): Contents {
  return {
    state: 'which its user may not read',
    faults: grants.map((grant) => ({
      fault: 'a right is missing',
      remedy: `Run as an owner: ${grant}.`,
    })),
  };
}

async function examineContents(client: pg.Client, address: DatabaseAddress): Promise<Contents> {
  const format = await readVersion(client, address);
  const state = format === undefined ? 'the first start makes its tables' : `format ${format}`;
  return { state, faults: await findForeignTables(client, format, address) };
}

function describeReplication({ commit, standbys }: Settings): string {
  if (standbys === '')
    return `synchronous_commit is ${commit}, and no standby is synchronous: a failover may lose writes`;
  return `synchronous_commit is ${commit}, and ${standbys} are synchronous`;
}

function findFaults(
  { fsync, commit, standbys, free }: Settings,
  { connections }: { readonly connections: number },
): readonly DatabaseFault[] {
  const faults: DatabaseFault[] = [];
  if (fsync === 'off') {
    faults.push({ fault: 'fsync is off: a loss of power loses or damages data', remedy: 'Set fsync = on.' });
  }
  const isWeak = commit === 'off' || (commit === 'local' && standbys !== '');
  if (isWeak) {
    faults.push({
      fault: `synchronous_commit is ${commit}: acknowledged writes can be lost`,
      remedy: 'Set synchronous_commit = on.',
    });
  }
  if (Number(free) < connections) {
    faults.push({
      fault: `only ${free} connections are free, and the server may open ${connections}`,
      remedy: 'Raise max_connections, or lower --databaseConnections.',
    });
  }
  return faults;
}

/** Finds tables in a schema without a format. It belongs to another program, or was only partly restored. */
async function findForeignTables(
  client: pg.Client,
  format: number | undefined,
  { schema }: DatabaseAddress,
): Promise<readonly DatabaseFault[]> {
  if (format !== undefined) return [];
  const { rowCount } = await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 LIMIT 1', [schema]);
  if (rowCount === 0) return [];
  return [
    {
      fault: `the schema ${schema} has tables that are not of Tabularium`,
      remedy: 'Use another --databaseSchema, or restore the whole schema.',
    },
  ];
}
