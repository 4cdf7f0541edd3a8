import { spawnSync } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../programs/free-port.mjs';
import { type RunningProgram, runProgram } from '../programs/run-program.js';
import type { PostgresCluster } from './postgres-cluster.mjs';

/** Why no PgBouncer can be started, as the end of a title of tests. Empty if one can. Debian's package is `pgbouncer`. */
export const whyNoPgbouncer =
  spawnSync('pgbouncer', ['--version']).status === 0 ? '' : ' (skipped: there is no PgBouncer)';

/** How a pooler hands out its connections to the database. */
export type PoolMode = 'session' | 'transaction' | 'statement';

/** A pooler in front of a database. */
export interface Pooler {
  /** The address of the database through the pooler. */
  readonly url: string;
  readonly program: RunningProgram;
}

/**
 * Starts PgBouncer in front of a database, with further lines in its settings. It ends with the programs of the test.
 * Resolves when it accepts connections.
 */
export async function startPgbouncer(cluster: PostgresCluster, mode: PoolMode, more = ''): Promise<Pooler> {
  const port = await freePort();
  const { username, pathname } = new URL(cluster.url);
  const file = join(cluster.folder, `pgbouncer-${mode}-${port}.ini`);
  await writeFile(
    file,
    `[databases]
* = host=127.0.0.1 port=${cluster.port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 50
${more}
`,
  );
  // It rejects to run as root.
  const user = process.getuid?.() === 0 ? idsOf('postgres') : undefined;
  if (user) await chown(file, user.uid, user.gid);
  const program = runProgram(['pgbouncer', file], user && { user });
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  await accepts(url);
  return { url, program };
}

function idsOf(name: string): { readonly uid: number; readonly gid: number } {
  const read = (which: string) => Number(spawnSync('id', [which, name]).stdout);
  return { uid: read('-u'), gid: read('-g') };
}

/** Resolves when the pooler accepts connections. */
async function accepts(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    const isOpen = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (isOpen) return;
    await later(20);
  }
}
