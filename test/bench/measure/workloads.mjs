import { headerOf } from './connection.mjs';
import { batchOf, bodyOf, keyOf, partitionRows, pathOf } from './data.mjs';

const table = 'bench';
const encode = encodeURIComponent;

/** Returns the key of a random loaded entity. */
const anyKey = ({ rows, single, random }) => keyOf(Math.floor(random() * rows), single);

const expect = (answer, status) => {
  if (answer.status !== status) throw new Error(`answered ${answer.status} instead of ${status}: ${answer.head}`);
  return answer;
};

/** Checks a transaction by its parts, because a failed one is answered with 202, too. */
const expectBatch = (answer, operations) => {
  const parts = Buffer.concat(expect(answer, 202).body).toString('latin1').split('HTTP/1.1 204').length - 1;
  if (parts !== operations) throw new Error(`${parts} of ${operations} operations succeeded`);
};

const get = async (connection, state) => expect(await connection.send('GET', pathOf(table, anyKey(state))), 200);

/**
 * Inserts an entity with a new key into a random partition. A turn of deletes removes it again. So the partitions keep
 * their size, which matters for Azurite: it searches the whole partition.
 */
const insert = async (connection, state) => {
  const key = { pk: anyKey(state).pk, rk: `n${String(state.next++).padStart(10, '0')}` };
  const options = { body: bodyOf(key, state.next), headers: 'Prefer: return-no-content\r\n' };
  expect(await connection.send('POST', `/${table}`, options), 204);
  state.inserted.push(key);
};

const remove = async (connection, state) => {
  const path = pathOf(table, state.inserted.pop());
  expect(await connection.send('DELETE', path, { headers: 'If-Match: *\r\n' }), 204);
};

/** Inserts a partition of 100 entities. A turn of batches of deletes removes it again. */
const insertBatch = async (connection, state) => {
  const pk = `batch${state.next++}`;
  const entities = Array.from({ length: 100 }, (_, i) => {
    const key = { pk, rk: `r${i}` };
    return { key, body: bodyOf(key, i) };
  });
  expectBatch(await connection.send('POST', '/$batch', batchOf(table, entities)), 100);
  state.inserted.push(entities.map(({ key }) => ({ key })));
};

const removeBatch = async (connection, state) =>
  expectBatch(await connection.send('POST', '/$batch', batchOf(table, state.inserted.pop(), 'DELETE')), 100);

const change = (method, body) => async (connection, state) => {
  const i = Math.floor(state.random() * state.rows);
  const key = keyOf(i, state.single);
  expect(await connection.send(method, pathOf(table, key), { body: body(key, i) }), 204);
};

const query =
  (options, status = 200) =>
  async (connection, state) =>
    expect(await connection.send('GET', `/${table}()?${options(state)}`), status);

const rangeFilter = (state) => {
  const perPartition = state.single ? state.rows : Math.min(state.rows, partitionRows);
  const first = Math.floor(state.random() * Math.max(1, perPartition - 100));
  const partition = state.single ? 0 : Math.floor(state.random() * (state.rows / perPartition)) * partitionRows;
  const from = keyOf(partition + first, state.single);
  const to = keyOf(partition + first + 100, state.single);
  return `PartitionKey eq '${from.pk}' and RowKey ge '${from.rk}' and RowKey lt '${to.rk}'`;
};

const merge = change('MERGE', (_key, i) => JSON.stringify({ Count: i, Extra: 'x' }));
const replace = change('PUT', (key, i) => bodyOf(key, i));

const page = query(
  (state) => `$filter=${encode(`PartitionKey ge '${anyKey({ ...state, rows: Math.max(1, state.rows - 1000) }).pk}'`)}`,
);

const walk = async (connection) => {
  let next = '';
  do {
    const answer = expect(await connection.send('GET', `/${table}()${next && `?${next}`}`), 200);
    const pk = headerOf(answer, 'x-ms-continuation-NextPartitionKey');
    const rk = headerOf(answer, 'x-ms-continuation-NextRowKey');
    next = pk ? `NextPartitionKey=${encode(pk)}&NextRowKey=${encode(rk)}` : '';
  } while (next);
};

const filter = query(
  (state) => `$filter=${encode(`Name eq 'name-${String(Math.floor(state.random() * state.rows)).padStart(8, '0')}'`)}`,
);

const mixed = (connection, state) =>
  state.random() < 0.8
    ? get(connection, state)
    : change('MERGE', (_key, i) => JSON.stringify({ Count: i }))(connection, state);

/** Marks of a workload: its operations write; they use nothing but keys, so that the ceiling can do them. */
const reads = { byKey: true };
const writes = { byKey: true, writes: true };

/** A workload of one operation. */
const one = (name, c, run, marks = {}) => ({ c, ...marks, parts: [{ name: `${name}, c=${c}`, run }] });

/**
 * A workload of two operations that undo each other, in turns of `turn` operations. What a server does once for many changes must not always
 * fall into turns of the same one. With five transactions of 100 and five, an older build gave LevelDB its changes, and collected garbage, in
 * turns of inserts only.
 */
const turns = (c, turn, ...parts) => ({
  c,
  turn,
  ...writes,
  parts: parts.map(([name, run]) => ({ name: `${name}, c=${c}`, run })),
});

/**
 * The workloads. Each part has a name and performs one operation with `run`. `c` is the number of connections.
 */
export const workloads = [
  one('get', 1, get, reads),
  one('get', 32, get, reads),
  turns(1, 256, ['insert', insert], ['delete', remove]),
  turns(32, 512, ['insert', insert], ['delete', remove]),
  one('merge', 1, merge, writes),
  one('merge', 32, merge, writes),
  one('replace', 1, replace, writes),
  one('replace', 32, replace, writes),
  turns(1, 3, ['batch of 100 inserts', insertBatch], ['batch of 100 deletes', removeBatch]),
  one(
    'range of 100',
    1,
    query((state) => `$filter=${encode(rangeFilter(state))}`),
  ),
  one(
    'range of 100',
    8,
    query((state) => `$filter=${encode(rangeFilter(state))}`),
  ),
  one('page of 1000', 1, page),
  one(
    '$top=10',
    1,
    query(() => '$top=10'),
  ),
  one('walk of all pages', 1, walk),
  one('selective filter', 1, filter),
  one('mixed 80/20', 32, mixed, writes),
];

/** Returns the workloads that have a part whose name contains one of the texts. */
export function findWorkloads(...texts) {
  return workloads.filter(({ parts }) => parts.some(({ name }) => texts.some((text) => name.includes(text))));
}
