import pg from 'pg';
import { checkSessions } from '../connection/check-sessions.js';
import { Connection } from '../connection/connection.js';
import { type DatabaseAddress, nameOf, openMs, readAddress } from '../connection/database-address.js';
import { explainOpenFailure } from '../connection/explain-open-failure.js';
import { checkRights, checkServer, readVersion } from './create-schema.js';

interface DatabaseExamination {
  /** The address and the version, as a sentence without its end. */
  readonly found: string;
  /** The durability of acknowledged writes. */
  readonly replication: string;
  /** Settings that lose writes or limit connections, and sessions that retain old rows, each with a remedy. */
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

/** Runs the checks of a start on a database, and reads its settings. Changes nothing. Errors: StoreError with the fix. */
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
      faults: [...findFaults(settings, address), ...(await findHolders(client))],
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

/** The maximum age of a transaction. Unit: seconds. (Our choice: longer than requests, snapshots and most exports take.) */
const openSecondsMax = 300;

/** A transaction or a slot that makes the database keep old rows or its log. */
interface Holder {
  readonly kind: 'open' | 'prepared' | 'slot';
  readonly name: string;
  readonly owner: string;
  /** Unit: seconds for transactions, bytes for slots. */
  readonly held: string | null;
}

/** Without the role pg_read_all_stats, reads only the user's own transactions. */
const readHolders = `SELECT 'open' AS kind, pid::text AS name, concat_ws(', ', usename, nullif(application_name, '')) AS owner,
  extract(epoch FROM now() - xact_start)::bigint AS held
  FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND coalesce(backend_xmin, backend_xid) IS NOT NULL
 UNION ALL SELECT 'prepared', gid, owner, extract(epoch FROM now() - prepared)::bigint FROM pg_prepared_xacts
 UNION ALL SELECT 'slot', slot_name, coalesce(plugin, slot_type), pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
  FROM pg_replication_slots WHERE NOT active`;

/** Returns transactions older than `secondsMax` seconds, and unused replication slots: the database keeps old rows or its log for them. */
export async function findHolders(
  client: pg.Client,
  secondsMax = openSecondsMax,
): Promise<DatabaseExamination['faults']> {
  const { rows } = await client.query(readHolders);
  return (rows as Holder[])
    .filter(({ kind, held }) => held !== null && (kind === 'slot' || Number(held) >= secondsMax))
    .map(describeHolder);
}

function describeHolder({ kind, name, owner, held }: Holder): DatabaseExamination['faults'][number] {
  const quoted = pg.escapeLiteral(name);
  switch (kind) {
    case 'open':
      return {
        fault: `a transaction has been open for ${held} s (process ${name} of ${owner}): the database keeps all rows removed since then`,
        remedy: `End it: SELECT pg_terminate_backend(${name}).`,
      };
    case 'prepared':
      return {
        fault: `the transaction ${quoted} of ${owner} was prepared ${held} s ago and never ended: the database keeps all rows removed since then`,
        remedy: `End it: ROLLBACK PREPARED ${quoted}, or COMMIT PREPARED ${quoted}.`,
      };
    case 'slot':
      return {
        fault: `nothing reads the replication slot ${quoted} (${owner}): the database keeps ${Math.ceil(Number(held) / 1024 / 1024)} MiB of its log for it`,
        remedy: `Start its reader, or drop it: SELECT pg_drop_replication_slot(${quoted}).`,
      };
  }
}
