import { checkSessions } from '../connection/check-sessions.js';
import { Connection } from '../connection/connection.js';
import { type DatabaseAddress, nameOf, openMs, readAddress } from '../connection/database-address.js';
import { explainOpenFailure } from '../connection/explain-open-failure.js';
import { checkRights, checkServer, readVersion } from './create-schema.js';

/** The results of an examination. */
export interface DatabaseExamination {
  /** The address and the version, as a sentence without its end. */
  readonly found: string;
  /** What an acknowledged write survives. */
  readonly replication: string;
  /** Settings that lose writes or keep a server from its connections, each with a remedy. */
  readonly faults: readonly { readonly fault: string; readonly remedy: string }[];
}

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
 * Runs the checks of a start on a database, and reads its settings. Changes nothing.
 *
 * Errors: StoreError when it cannot be used, with what to do.
 */
export async function examineDatabase(
  address: DatabaseAddress & { readonly connections: number },
): Promise<DatabaseExamination> {
  const config = readAddress(address);
  const connection = new Connection(config);
  try {
    const client = await connection.open(performance.now() + openMs);
    await checkSessions(client, config);
    await checkServer(client, address);
    await checkRights(client, address);
    const format = await readVersion(client, address);
    const settings = (await client.query(readSettings)).rows[0] as Settings;
    const { version, commit, standbys } = settings;
    const contents = format === undefined ? 'the first start makes its tables' : `format ${format}`;
    const promise =
      standbys === '' ? 'no standby is synchronous: a failover may lose writes' : `${standbys} are synchronous`;
    return {
      found: `PostgreSQL ${version}, ${nameOf(address)}, ${contents}`,
      replication: `synchronous_commit is ${commit}, and ${promise}`,
      faults: findFaults(settings, address),
    };
  } catch (error) {
    throw explainOpenFailure(error, address);
  } finally {
    await connection.end();
  }
}

function findFaults(
  { fsync, commit, standbys, free }: Settings,
  { connections }: { readonly connections: number },
): DatabaseExamination['faults'] {
  const isWeak = commit === 'off' || (commit === 'local' && standbys !== '');
  return [
    {
      isFault: fsync === 'off',
      fault: 'fsync is off: a loss of power loses or damages data',
      remedy: 'Set fsync = on.',
    },
    {
      isFault: isWeak,
      fault: `synchronous_commit is ${commit}: acknowledged writes can be lost`,
      remedy: 'Set synchronous_commit = on.',
    },
    {
      isFault: Number(free) < connections,
      fault: `only ${free} connections are free, and the server may open ${connections}`,
      remedy: 'Raise max_connections, or lower --databaseConnections.',
    },
  ].filter(({ isFault }) => isFault);
}
