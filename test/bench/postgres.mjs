// Compares the server on PostgreSQL with the statements that it sends, run through the same client without HTTP:
// `node test/bench/postgres.mjs [rounds] [seconds]`. Prints shares of these statements, and the rates on LevelDB.
// Raw statements, servers, clients and database share the machine, and are measured in turns.
import pg from 'pg';
import Cursor from 'pg-cursor';
import { Gatherer } from '../../dist/store/postgres/gatherer.js';
import { encodeKey } from '../../dist/store/postgres/keys.js';
import { pageStatement } from '../../dist/store/postgres/page-statement.js';
import { textOf } from '../../dist/store/postgres/stamps.js';
import { readEntities, registerWriter, writeEntities } from '../../dist/store/postgres/statements.js';
import { PostgresCluster } from '../support/postgres-cluster.mjs';
import { keyOf } from './data.mjs';
import { createState, load, runSlot } from './measure.mjs';
import { Server, serverKinds } from './servers.mjs';
import { findWorkloads } from './workloads.mjs';

const [rounds = '3', seconds = '3'] = process.argv.slice(2);
const rows = 20_000;
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
await cluster.query(`VACUUM ANALYZE ${schema}.entities`);

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
const { body } = (await clients[0].query('SELECT body FROM entities LIMIT 1')).rows[0];

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

let turn = 0;
const reads = new Gatherer(2, async (keys) => {
  const values = [
    keys.map(() => account),
    keys.map(() => 'bench'),
    keys.map(({ pk }) => encodeKey(pk)),
    keys.map(({ rk }) => encodeKey(rk)),
  ];
  const found = await pipelined[turn++ % 2].query({ ...readEntities, values });
  return found.rows.map((row) => textOf(row.body, row.ts));
});

const insertText = `INSERT INTO entities (table_id, pk, rk, ts, body)
 SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::text[]) ON CONFLICT DO NOTHING`;
let next = 0;
const inserts = new Gatherer(1, async (group) => {
  const values = [
    group.map(() => tableId),
    group.map(() => encodeKey('raw')),
    group.map(() => encodeKey(`r${next++}`)),
    group.map(() => '134000000000000000'),
    group.map(() => body),
  ];
  await clients[0].query({ name: 'raw-insert', text: insertText, values });
  return group;
});

const writers = await Promise.all(
  clients.map(async (client, at) => {
    await client.query({ ...registerWriter, values: [at + 1] });
    return { client, seq: 0 };
  }),
);
/** A transaction of 100 inserts, compared and set. */
async function compareAndSet(at) {
  const writer = writers[at];
  const pk = encodeKey(`cas${next++}`);
  const hundred = Array.from({ length: 100 }, (_, i) => i);
  const values = [
    ['0', [account], ['bench'], [tableId]],
    [
      hundred.map(() => tableId),
      hundred.map(() => pk),
      hundred.map((i) => encodeKey(`r${String(i).padStart(3, '0')}`)),
    ],
    [hundred.map(() => '0'), hundred.map((i) => String(i)), hundred.map(() => body), 10, at + 1, ++writer.seq],
  ].flat();
  await writer.client.query({ ...writeEntities, values });
}

const range = [{ from: { partitionKey: '', side: 'before' } }];
/** A page of 1,000 rows through a cursor. */
async function readCursor(at) {
  const { statement, values } = pageStatement({ account, name: 'bench' }, range);
  const cursor = clients[at].query(new Cursor(statement.text, values, { rowMode: 'array' }));
  await cursor.read(1000);
  await cursor.close();
}

const many = (name, c) => ({ ...findWorkloads(name).at(-1), c });
const measured = [
  {
    name: 'reads by key, 32 at once',
    goal: 0.2,
    raw: () => rateOf(32, () => reads.ask(keyOf(Math.floor(Math.random() * rows)))),
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
    raw: () => rateOf(8, compareAndSet),
    http: many('batch of 100 inserts', 8),
  },
  { name: 'pages of 1,000, 8 at once', goal: 0.6, raw: () => rateOf(8, readCursor), http: many('page of 1000', 8) },
];

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const state = Object.fromEntries(Object.keys(servers).map((name) => [name, createState(rows, false)]));
state.second.next = 10_000_000;
const ms = 1000 * Number(seconds);
const http = async (name, workload) => (await runSlot(servers[name], workload, state[name], ms))[0].rate;

console.log('| | raw | PostgreSQL | share | goal | LevelDB | of LevelDB | two servers |');
console.log('| --- | --: | --: | --: | --: | --: | --: | --: |');
for (const { name, goal, raw, http: workload } of measured) {
  const found = [];
  await http('postgres', workload);
  for (let round = 0; round < Number(rounds); round++) {
    const statements = await raw();
    const postgres = await http('postgres', workload);
    const level = await http('level', workload);
    const half = { ...workload, c: workload.c / 2 };
    const both = await Promise.all([http('postgres', half), http('second', half)]);
    found.push({ statements, postgres, level, both: both[0] + both[1] });
  }
  const of = (figure) => median(found.map(figure));
  const rate = (value) => Math.round(value).toLocaleString('en-US');
  const share = of(({ postgres, statements }) => postgres / statements);
  console.log(
    `| ${name} | ${rate(of((one) => one.statements))}/s | ${rate(of((one) => one.postgres))}/s | ${share.toFixed(2)} | ${goal} | ` +
      `${rate(of((one) => one.level))}/s | ${of((one) => one.postgres / one.level).toFixed(2)} | ${rate(of((one) => one.both))}/s |`,
  );
}

for (const client of [...clients, ...pipelined]) await client.end();
for (const server of Object.values(servers)) {
  await server.stop();
  await server.remove();
}
await cluster.remove();
