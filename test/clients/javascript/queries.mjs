// Values, keys, filters and pages.
import assert from 'node:assert/strict';
import { Cannot, cases, entity, expand, numbers, rejected, same } from './model.mjs';

const wholeDouble = 'type.double-whole';
const ticks = 'filter.datetime-ticks';

export function checkQueries({ driver, client, check, newTable }) {
  for (const [id, [kind, text]] of Object.entries(cases.values))
    check(id, async () => {
      if (id === wholeDouble) throw new Cannot('JSON.parse reads 3.0 and 3 as the same number');
      const table = await newTable();
      const wanted = [kind, expand(text)];
      await client.insert(table, entity('p', 'r', { V: wanted }));
      const found = (await client.get(table, 'p', 'r')).properties.V;
      assert.ok(same(wanted, found), String(found).slice(0, 100));
    });

  for (const [id, value] of Object.entries(cases.keys))
    check(id, async () => {
      const [table, key] = [await newTable(), expand(value)];
      await client.insert(table, entity(key, key, { A: 1 }));
      const { partition, row } = await client.get(table, key, key);
      assert.deepEqual([partition, row], [key, key]);
      await client.update(table, entity(key, key, { B: 2 }), 'merge');
      const quoted = key.replaceAll("'", "''");
      const found = await client.list(table, `PartitionKey eq '${quoted}' and RowKey eq '${quoted}'`);
      assert.deepEqual(found.map(numbers), [{ A: 1, B: 2 }]);
      await client.delete(table, key, key);
      assert.deepEqual(await client.list(table), []);
    });

  let filled;
  const rows = async () => {
    filled ??= fill();
    return filled;
  };
  const fill = async () => {
    const table = await newTable();
    for (const [partition, row, ...texts] of cases.rows) {
      const columns = Object.entries(cases.columns).map(([name, kind], at) => [name, [kind, texts[at]]]);
      const properties = Object.fromEntries(columns);
      if (!driver.hasTicks) properties.When = ['DateTime', `${properties.When[1].slice(0, 19)}Z`];
      await client.insert(table, entity(partition, row, properties));
    }
    return table;
  };
  for (const [id, [filter, wanted]] of Object.entries(cases.filters))
    check(id, async () => {
      if (id === ticks && !driver.hasTicks) throw new Cannot('the client has instants of whole milliseconds');
      const found = await client.list(await rows(), filter);
      assert.equal(found.map(({ partition, row }) => partition + row).join(' '), wanted);
    });
  check('filter.invalid', async () => rejected(client.list(await rows(), 'Int eq'), 400, 'InvalidInput'));
  check('filter.select', async () => {
    const [row] = await client.list(await rows(), "PartitionKey eq 'a' and RowKey eq '1'", ['Int']);
    assert.deepEqual(row.properties, { Int: ['Int32', '-5'] });
  });

  let many;
  const manyRows = async () => {
    many ??= fillMany();
    return many;
  };
  const fillMany = async () => {
    const table = await newTable();
    for (let start = 0; start < 2050; start += 100) {
      const ats = Array.from({ length: Math.min(100, 2050 - start) }, (_, at) => start + at);
      await client.transaction(
        table,
        ats.map((at) => ['insert', entity('p', String(at).padStart(5, '0'), { N: at })]),
      );
    }
    return table;
  };
  const sizes = async (size) => {
    const found = [];
    let token;
    do {
      const page = await client.page(await manyRows(), { size, token });
      found.push(page.rows.length);
      token = page.token;
    } while (token);
    return found;
  };
  const rowKeys = (found) => found.map(({ row }) => row);
  check('page.default', async () => assert.deepEqual(await sizes(), [1000, 1000, 50]));
  check('page.all', async () => {
    const wanted = Array.from({ length: 2050 }, (_, at) => String(at).padStart(5, '0'));
    assert.deepEqual(rowKeys(await client.list(await manyRows())), wanted);
  });
  check('page.size', async () => assert.deepEqual(await sizes(700), [700, 700, 650]));
  check('page.resume', async () => {
    const { token } = await client.page(await manyRows(), { size: 300 });
    const page = await driver.open({}).page(await manyRows(), { size: 2, token });
    assert.deepEqual(rowKeys(page.rows), ['00300', '00301']);
  });
  check('page.filter', async () => {
    const found = await client.list(await manyRows(), 'N eq 3 or N eq 2049');
    assert.deepEqual(rowKeys(found), ['00003', '02049']);
  });
  check('page.cancel', async () => {
    const table = await manyRows();
    for (let round = 0; round < 3; round++) assert.equal((await client.first(table)).row, '00000');
    assert.equal((await client.get(table, 'p', '00007')).row, '00007');
  });
  check('page.empty', async () => assert.deepEqual(await client.list(await manyRows(), 'N eq -1'), []));
}
