import pg from 'pg';

/** What is wrong with a database, and what to do about it. */
export interface DatabaseFault {
  readonly fault: string;
  readonly remedy: string;
}

/** How long a transaction may be open. Unit: seconds. Ours: longer than requests, snapshots and most exports take. */
const openSecondsMax = 300;

/** What the database keeps something for. */
interface Holder {
  readonly kind: 'open' | 'prepared' | 'slot';
  readonly name: string;
  readonly owner: string;
  /** Unit: seconds for transactions, bytes for slots. */
  readonly held: string | null;
}

/** Reads what its user may see: without the role pg_read_all_stats, only that user's own transactions. */
const readHolders = `SELECT 'open' AS kind, pid::text AS name, concat_ws(', ', usename, nullif(application_name, '')) AS owner,
  extract(epoch FROM now() - xact_start)::bigint AS held
  FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND coalesce(backend_xmin, backend_xid) IS NOT NULL
 UNION ALL SELECT 'prepared', gid, owner, extract(epoch FROM now() - prepared)::bigint FROM pg_prepared_xacts
 UNION ALL SELECT 'slot', slot_name, coalesce(plugin, slot_type), pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
  FROM pg_replication_slots WHERE NOT active`;

/**
 * Finds transactions that are open for more than `secondsMax` seconds, and replication slots that nothing reads. The database
 * keeps old rows or its log for them.
 */
export async function findHolders(client: pg.Client, secondsMax = openSecondsMax): Promise<readonly DatabaseFault[]> {
  const { rows } = await client.query(readHolders);
  return (rows as Holder[])
    .filter(({ kind, held }) => held !== null && (kind === 'slot' || Number(held) >= secondsMax))
    .map(describe);
}

function describe({ kind, name, owner, held }: Holder): DatabaseFault {
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
        remedy: `Start what reads it, or drop it: SELECT pg_drop_replication_slot(${quoted}).`,
      };
  }
}
