import { headerOf } from './connection.mjs';
import { batchOf, bodyOf, keyOf, partitionRows, pathOf } from './data.mjs';

const table = 'bench';

/** The table for inserts. The other table therefore keeps the same size on every server. */
const growing = 'benchGrowing';
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

/** Inserts an entity with a new key. The delete workload deletes it later. */
const insert = async (connection, state) => {
  const key = { pk: 'new', rk: `n${String(state.next++).padStart(10, '0')}` };
  const options = { body: bodyOf(key, state.next), headers: 'Prefer: return-no-content\r\n' };
  expect(await connection.send('POST', `/${growing}`, options), 204);
  state.inserted.push(key);
};

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

/**
 * The workloads. `run` performs one operation, and returns false if none is left. `c` is the number of connections;
 * `writes` is set if operations write.
 */
export const workloads = [
  { name: 'get', c: 1, run: get },
  { name: 'get', c: 32, run: get },
  { name: 'insert', c: 1, writes: true, run: insert },
  { name: 'insert', c: 32, writes: true, run: insert },
  {
    name: 'delete',
    c: 32,
    writes: true,
    run: async (connection, state) => {
      const key = state.inserted.pop();
      if (!key) return false;
      expect(await connection.send('DELETE', pathOf(growing, key), { headers: 'If-Match: *\r\n' }), 204);
      return true;
    },
  },
  { name: 'merge', c: 1, writes: true, run: change('MERGE', (_key, i) => JSON.stringify({ Count: i, Extra: 'x' })) },
  { name: 'merge', c: 32, writes: true, run: change('MERGE', (_key, i) => JSON.stringify({ Count: i, Extra: 'x' })) },
  { name: 'replace', c: 32, writes: true, run: change('PUT', (key, i) => bodyOf(key, i)) },
  {
    name: 'batch of 100 inserts',
    c: 1,
    writes: true,
    run: async (connection, state) => {
      const pk = `batch${state.next++}`;
      const entities = Array.from({ length: 100 }, (_, i) => {
        const key = { pk, rk: `r${i}` };
        return { key, body: bodyOf(key, i) };
      });
      expectBatch(await connection.send('POST', '/$batch', batchOf(growing, entities)), 100);
    },
  },
  { name: 'range of 100', c: 1, run: query((state) => `$filter=${encode(rangeFilter(state))}`) },
  { name: 'range of 100', c: 8, run: query((state) => `$filter=${encode(rangeFilter(state))}`) },
  {
    name: 'page of 1000',
    c: 1,
    run: query(
      (state) =>
        `$filter=${encode(`PartitionKey ge '${anyKey({ ...state, rows: Math.max(1, state.rows - 1000) }).pk}'`)}`,
    ),
  },
  { name: '$top=10', c: 1, run: query(() => '$top=10') },
  {
    name: 'walk of all pages',
    c: 1,
    run: async (connection) => {
      let next = '';
      do {
        const answer = expect(await connection.send('GET', `/${table}()${next && `?${next}`}`), 200);
        const pk = headerOf(answer, 'x-ms-continuation-NextPartitionKey');
        const rk = headerOf(answer, 'x-ms-continuation-NextRowKey');
        next = pk ? `NextPartitionKey=${encode(pk)}&NextRowKey=${encode(rk)}` : '';
      } while (next);
    },
  },
  {
    name: 'selective filter',
    c: 1,
    run: query(
      (state) =>
        `$filter=${encode(`Name eq 'name-${String(Math.floor(state.random() * state.rows)).padStart(8, '0')}'`)}`,
    ),
  },
  {
    name: 'mixed 80/20',
    c: 32,
    writes: true,
    run: (connection, state) =>
      state.random() < 0.8
        ? get(connection, state)
        : change('MERGE', (_key, i) => JSON.stringify({ Count: i }))(connection, state),
  },
];
