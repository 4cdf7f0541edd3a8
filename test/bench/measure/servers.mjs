import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Connection } from './connection.mjs';

const reportUsage = new URL('../report/report-usage.mjs', import.meta.url).href;

/**
 * Returns the servers to measure, by name. `peer` is the folder with Azurite: then all run on the Node.js version that
 * Azurite needs. `before` is the folder of another built checkout.
 */
export function serverKinds({ peer, before } = {}) {
  const node = peer ? join(peer, 'node_modules/node/bin/node') : process.execPath;
  const kinds = { tabularium: { command: node, args: ['dist/main.js'] } };
  if (before) kinds.before = { command: node, args: [join(before, 'dist/main.js')], cwd: before };
  kinds.ceiling = { command: node, args: [fileURLToPath(new URL('../ceiling.mjs', import.meta.url))], byKeyOnly: true };
  if (peer) {
    kinds.azurite = {
      command: node,
      args: [join(peer, 'node_modules/azurite/dist/src/table/main.js'), '--skipApiVersionCheck', '--disableTelemetry'],
      // After writes Azurite saves its data every five seconds, which is slow for a large table: a turn includes a save.
      largeWriteMs: 5000,
    };
  }
  return kinds;
}

/** A server as a child process, with its own port and folder. */
export class Server {
  constructor(name, kind, location) {
    this.name = name;
    this.kind = kind;
    this.location = location;
  }

  static async create(name, kind) {
    return new Server(name, kind, await mkdtemp(join(tmpdir(), `bench-${name}-`)));
  }

  /** Starts the server and waits for its first answer. Returns the time this took. Unit: milliseconds. */
  async start() {
    this.port = await freePort();
    const started = performance.now();
    const folder = this.kind.inMemory ? ['--inMemoryPersistence'] : ['--location', this.location];
    const place = this.kind.place ?? folder;
    const args = ['--import', reportUsage, ...this.kind.args, '--tablePort', String(this.port), '--silent', ...place];
    this.child = spawn(this.kind.command, args, {
      cwd: this.kind.cwd,
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      env: { ...process.env, ...this.kind.env },
    });
    this.child.channel.unref();
    for await (const line of createInterface({ input: this.child.stdout })) {
      if (/success/i.test(line)) break;
    }
    this.child.stdout.resume();
    const connection = new Connection(this.port);
    const { status } = await connection.send('GET', '/Tables');
    connection.close();
    if (status !== 200) throw new Error(`${this.name} answered ${status}`);
    return performance.now() - started;
  }

  async stop(signal = 'SIGINT') {
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await exited;
  }

  /** Returns the current and the peak resident memory. Unit: MiB. */
  async memory() {
    const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8');
    const read = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
    return { now: read('VmRSS'), peak: read('VmHWM') };
  }

  /** Returns the processor time used so far. Unit: microseconds. */
  async cpu() {
    const answered = new Promise((resolve) => this.child.once('message', resolve));
    this.child.send('usage');
    return answered;
  }

  /** Returns the size of the data on disk. Unit: MiB. */
  async disk() {
    let bytes = 0;
    for (const entry of await readdir(this.location, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
    }
    return Math.round((bytes / 1048576) * 10) / 10;
  }

  async remove() {
    await rm(this.location, { recursive: true, force: true });
  }
}

/** Returns a free port. Port 0 cannot be used, because Azurite does not print the port that it chose. */
async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
