import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../programs/run-program.js';

/** Whether the program is there. Debian's package is called `haproxy`. */
export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;

/** Ports of the loopback address: where the balancer listens, and the servers to which it leads. */
export interface BalancerPorts {
  /** Leads to the Tabularium servers that are ready. */
  readonly tables: number;
  readonly servers: readonly number[];
  /** Leads to the PostgreSQL server that takes writes. */
  readonly database: number;
  readonly databases: readonly number[];
}

/** Starts a balancer of two addresses: one for the servers, one for their database. Ends with the test's programs. */
export async function startHaproxy(folder: string, ports: BalancerPorts, user: string): Promise<void> {
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, writeConfiguration(ports, user));
  const { ended } = runProgram(['haproxy', '-db', '-f', file]);
  void ended.then(({ code, errors }) => {
    if (code) process.stderr.write(errors);
  });
}

function writeConfiguration({ tables, servers, database, databases }: BalancerPorts, user: string): string {
  const list = (ports: readonly number[], options: string) =>
    ports.map((port, at) => `  server s${at} 127.0.0.1:${port} check inter 100ms ${options}`).join('\n');
  return `
defaults
  timeout connect 5s
  timeout client 120s
  timeout server 120s
  # Without it a check must be answered within its interval, and a busy machine would have no server.
  timeout check 10s
  option redispatch 1

listen tables
  mode http
  bind 127.0.0.1:${tables}
  balance leastconn
  option httpchk GET /_tabularium/health
  http-check send hdr Host localhost
${list(servers, '')}

listen database
  mode tcp
  bind 127.0.0.1:${database}
  option tcp-check
  tcp-check connect
  tcp-check send-binary ${hexOf(startup(user))}
  tcp-check expect binary ${hexOf(readyForQuery)}
  tcp-check send-binary ${hexOf(message('Q', text('SELECT pg_is_in_recovery()')))}
  # The end comes before the answer is looked at, so that the check of a standby fails when the answer is over.
  tcp-check send-binary ${hexOf(message('X', Buffer.alloc(0)))}
  tcp-check expect binary ${hexOf(rowOfFalse)}
${list(databases, 'on-marked-down shutdown-sessions')}
`;
}

/** The answer of a server of PostgreSQL that waits for a statement. */
const readyForQuery = message('Z', Buffer.from('I'));

/** A row of one column of one byte: `f`, for a server that is not a standby. */
const rowOfFalse = message('D', Buffer.from('00010000000166', 'hex'));

/** Returns the first message of a connection: version 3.0 of the protocol, the user and the database. */
function startup(user: string): Buffer {
  const version = Buffer.from([0, 3, 0, 0]);
  const names = ['user', user, 'database', user].map(text);
  return withLength(Buffer.concat([version, ...names, Buffer.alloc(1)]));
}

/** Returns a message of PostgreSQL's protocol. */
function message(kind: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), withLength(body)]);
}

function withLength(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([length, body]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function hexOf(bytes: Buffer): string {
  return bytes.toString('hex');
}
