// Compares the server on PostgreSQL with raw statements that run through the same client without HTTP:
// `node test/bench/postgres.mjs [rounds] [seconds] [entities]`. Prints shares of these statements, the processor time of
// the server and of the database for one operation, and the rates on LevelDB.
//
// The raw statements are:
// - gathered point reads: keys joined to their tables and entities, on two pipelined connections;
// - gathered inserts: the compare-and-set of a group of single inserts, on one connection;
// - transactions: the compare-and-set of 100 inserts, on eight connections;
// - pages: 128 rows through a cursor, then the rest, on eight connections.
// They have no receipts, and their parameters are arrays as the client writes them. They use the same table as the server, and
// read and write the keys and entities that the requests do.
//
// Raw statements, servers, clients and database share the machine, and are measured in turns. Before each kind of operation the
// database is vacuumed and writes a checkpoint, and LevelDB ends its compactions.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { Gatherer } from '../../build/store/postgres/read/gatherer.js';
import { pageStatement } from '../../build/store/postgres/read/read-page.js';
import { encodeKey } from '../../build/store/postgres/schema/keys.js';
import { textOf } from '../../build/store/postgres/schema/stamps.js';
import { PostgresCluster } from '../support/postgres/postgres-cluster.mjs';
import { bodyOf, keyOf } from './measure/data.mjs';
import { createState, load, runSlot } from './measure/measure.mjs';
import { Server, serverKinds } from './measure/servers.mjs';
import { findWorkloads } from './measure/workloads.mjs';

const [rounds = '3', seconds = '3', entities = '1000000'] = process.argv.slice(2);
const rows = Number(entities);
const schema = 'bench';
const account = 'devstoreaccount1';

const cluster = await PostgresCluster.start('fsync = on\nshared_buffers = 256MB\n');
const { tabularium } = serverKinds();
const onPostgres = { ...tabularium, place: ['--databaseSchema', schema], env: { TABULARIUM_DATABASE: cluster.url } };
const servers = {
  postgres: await Server.create('postgres', onPostgres),
  second: await Server.create('second', onPostgres),
  level: await Server.create('level', tabularium),
};
await servers.postgres.start();
await servers.second.start();
await servers.level.start();
await load(servers.postgres, rows, false);
await load(servers.level, rows, false);

/** Longest wait for a server to have no more work of its own. Unit: seconds. */
const settleSecondsMax = 60;

/**
 * Waits for the work that the last writes have caused: both sides must meet the same conditions. The database removes
 * dead rows and writes its pages to the disk, LevelDB compacts its files.
 */
async function settle() {
  await cluster.query(`VACUUM ANALYZE ${schema}.entities`);
  await cluster.query('CHECKPOINT');
  for (let second = 0; second < settleSecondsMax; second++) {
    const before = await servers.level.cpu();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    if ((await servers.level.cpu()) - before < 50_000) return;
  }
}

const settings = ['enable_hashjoin', 'enable_mergejoin', 'enable_seqscan', 'jit'].map((name) => `-c ${name}=off`);
const options = `${settings.join(' ')} -c plan_cache_mode=force_generic_plan -c search_path=${schema}`;
const connect = async (pipeline = false) => {
  const client = new pg.Client({ connectionString: cluster.url, options, pipeline });
  await client.connect();
  return client;
};
const clients = await Promise.all(Array.from({ length: 8 }, () => connect()));
const pipelined = await Promise.all([connect(true), connect(true)]);
const tableId = (await clients[0].query("SELECT id FROM tables WHERE name_key = 'bench'")).rows[0].id;
const anyKey = () => keyOf(Math.floor(Math.random() * rows));

/** Runs work again and again, `at once` times at the same time. Returns how often per second. */
async function rateOf(atOnce, work) {
  let done = 0;
  const began = performance.now();
  const endsAt = began + 1000 * Number(seconds);
  const run = async (at) => {
    while (performance.now() < endsAt) {
      await work(at);
      done++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, at) => run(at)));
  return (done / (performance.now() - began)) * 1000;
}

const readText = `SELECT q.n::int AS n, t.id, e.ts, e.body
 FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) WITH ORDINALITY q(account, name, pk, rk, n)
 LEFT JOIN tables t ON t.account = q.account AND t.name_key = q.name
 LEFT JOIN entities e ON e.table_id = t.id AND e.pk = q.pk AND e.rk = q.rk`;
let turn = 0;
const reads = new Gatherer(2, async (keys) => {
  const values = [
    keys.map(() => account),
    keys.map(() => 'bench'),
    keys.map(({ pk }) => encodeKey(pk)),
    keys.map(({ rk }) => encodeKey(rk)),
  ];
  const found = await pipelined[turn++ % 2].query({ name: 'raw-read', text: readText, values });
  return found.rows.map((row) => textOf(row.body, row.ts));
});

/** The compare-and-set of any number of rows. It stays as it is when that of the server changes. */
const writeText = `WITH k AS MATERIALIZED (SELECT greatest(
   (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 10 + 116444736000000000, $1::bigint) AS base),
 t AS MATERIALIZED (SELECT t.id FROM unnest($2::text[], $3::text[], $4::bigint[]) q(account, name, id)
   JOIN tables t ON t.account = q.account AND t.name_key = q.name AND t.id = q.id FOR KEY SHARE OF t),
 c AS MATERIALIZED (SELECT q.id, q.pk, q.rk, q.expect, k.base + q.offs AS ts, q.body
   FROM k, unnest($5::bigint[], $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[], $10::text[])
     q(id, pk, rk, expect, offs, body)),
 i AS (INSERT INTO entities (table_id, pk, rk, ts, body)
   SELECT id, pk, rk, ts, body FROM c WHERE expect = 0 ON CONFLICT DO NOTHING RETURNING 1),
 u AS (UPDATE entities e SET ts = c.ts, body = c.body FROM c WHERE c.expect > 0 AND c.body IS NOT NULL
   AND e.table_id = c.id AND e.pk = c.pk AND e.rk = c.rk AND e.ts = c.expect RETURNING 1),
 d AS (DELETE FROM entities e USING c WHERE c.expect > 0 AND c.body IS NULL
   AND e.table_id = c.id AND e.pk = c.pk AND e.rk = c.rk AND e.ts = c.expect RETURNING 1)
 SELECT (SELECT base FROM k) AS base, 1 / ((SELECT count(*) FROM t) = cardinality($2::text[])
   AND (SELECT count(*) FROM i) + (SELECT count(*) FROM u) + (SELECT count(*) FROM d) = cardinality($5::bigint[]))::int AS ok`;
let next = 0;

/** Inserts entities of these keys by the compare-and-set. */
async function insertRows(client, keys) {
  const of = (value) => keys.map(value);
  const values = [
    ['0', [account], ['bench'], [tableId]],
    [of(() => tableId), of(({ pk }) => encodeKey(pk)), of(({ rk }) => encodeKey(rk))],
    [of(() => '0'), of((_, i) => String(i * 10)), of((key) => bodyOf(key, next))],
  ].flat();
  await client.query({ name: 'raw-write', text: writeText, values });
}

// Rivals must lock rows in one order, so a group is sorted by key.
const byKey = (a, b) => (a.pk < b.pk || (a.pk === b.pk && a.rk < b.rk) ? -1 : 1);
const inserts = new Gatherer(1, async (group) => {
  const keys = group.map(() => ({ pk: anyKey().pk, rk: `raw${String(next++).padStart(10, '0')}` }));
  await insertRows(clients[0], keys.sort(byKey));
  return group;
});

/** Inserts a partition of 100 entities. */
async function insertPartition(at) {
  const pk = `raw${next++}`;
  await insertRows(
    clients[at],
    Array.from({ length: 100 }, (_, i) => ({ pk, rk: `r${i}` })),
  );
}

/** Reads a page of 1,000 rows through a cursor. */
async function readCursor(at) {
  const { pk } = keyOf(Math.floor(Math.random() * (rows - 1000)));
  const range = [{ from: { partitionKey: pk, side: 'before' } }];
  const { statement, values } = pageStatement({ account, name: 'bench' }, range);
  const cursor = clients[at].query(new Cursor(statement.text, values, { rowMode: 'array' }));
  await cursor.read(128);
  await cursor.read(1000 - 128);
  await cursor.close();
}

/** Returns a workload for `c` connections. If it has turns, each connection takes part in all of them. */
const many = (name, c) => {
  const workload = findWorkloads(name).at(-1);
  return { ...workload, c, ...(workload.turn && { turn: Math.max(workload.turn, 16 * c) }) };
};
const measured = [
  {
    name: 'reads by key, 32 at once',
    goal: 0.2,
    raw: () => rateOf(32, () => reads.ask(anyKey())),
    http: many('get, c=32', 32),
  },
  {
    name: 'inserts, 32 at once',
    goal: 0.33,
    raw: () => rateOf(32, () => inserts.ask(0)),
    http: many('insert, c=32', 32),
  },
  {
    name: 'transactions of 100 inserts, 8 at once',
    goal: 0.5,
    raw: () => rateOf(8, insertPartition),
    http: many('batch of 100 inserts', 8),
  },
  { name: 'pages of 1,000, 8 at once', goal: 0.6, raw: () => rateOf(8, readCursor), http: many('page of 1000', 8) },
];

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const state = Object.fromEntries(Object.keys(servers).map((name) => [name, createState(rows, false)]));
state.second.next = 10_000_000;
const ms = 1000 * Number(seconds);
/** Returns the processor time that all processes of the database have used. Unit: microseconds, in steps of 10,000. */
async function databaseCpu() {
  const [main] = (await readFile(join(cluster.folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  let ticks = 0;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // After the name: state, parent, …; the 12th and 13th are the times in user and in system mode.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    if (pid === main || fields[1] === main) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * 10_000;
}

/** Stands for the server, and tells the processor time of the database. */
const database = Object.create(servers.postgres, { cpu: { value: databaseCpu } });
const run = async (server, name, workload) => (await runSlot(server, workload, state[name], ms))[0];
const http = async (name, workload) => (await run(servers[name], name, workload)).rate;

console.log('| | raw | PostgreSQL | share | goal | server µs | database µs | LevelDB | of LevelDB | two servers |');
console.log('| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |');
for (const { name, goal, raw, http: workload } of measured) {
  const found = [];
  await settle();
  await raw();
  await http('postgres', workload);
  for (let round = 0; round < Number(rounds); round++) {
    const statements = await raw();
    const { rate: postgres, cpu } = await run(servers.postgres, 'postgres', workload);
    const { cpu: databaseCpu } = await run(database, 'postgres', workload);
    const level = await http('level', workload);
    const half = { ...workload, c: workload.c / 2 };
    const both = await Promise.all([http('postgres', half), http('second', half)]);
    found.push({ statements, postgres, cpu, databaseCpu, level, both: both[0] + both[1] });
  }
  const of = (figure) => median(found.map(figure));
  const rate = (value) => Math.round(value).toLocaleString('en-US');
  const share = of(({ postgres, statements }) => postgres / statements);
  console.log(
    `| ${name} | ${rate(of((one) => one.statements))}/s | ${rate(of((one) => one.postgres))}/s | ${share.toFixed(2)} | ${goal} | ` +
      `${rate(of((one) => one.cpu))} | ${rate(of((one) => one.databaseCpu))} | ` +
      `${rate(of((one) => one.level))}/s | ${of((one) => one.postgres / one.level).toFixed(2)} | ${rate(of((one) => one.both))}/s |`,
  );
}

for (const client of [...clients, ...pipelined]) await client.end();
for (const server of Object.values(servers)) {
  await server.stop();
  await server.remove();
}
await cluster.remove();
