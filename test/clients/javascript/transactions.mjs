// Transactions.
import assert from 'node:assert/strict';
import { cases, entity, expand, rejected, same } from './model.mjs';

export function checkTransactions({ driver, client, check, newName, newTable }) {
  const row = (at) => String(at).padStart(3, '0');
  const inserts = (count, partition = 'p') =>
    Array.from({ length: count }, (_, at) => ['insert', entity(partition, row(at), { A: at })]);
  const rowKeys = async (table) => (await client.list(table)).map(({ row }) => row);

  check('batch.hundred', async () => {
    const table = await newTable();
    await client.transaction(table, inserts(100));
    assert.deepEqual(
      await rowKeys(table),
      inserts(100).map(([, one]) => one.row),
    );
  });
  check('batch.mixed', async () => {
    const table = await newTable();
    for (const key of ['merge', 'replace', 'delete']) await client.insert(table, entity('p', key, { A: 1 }));
    const kinds = ['insert', 'merge', 'replace', 'upsert-merge', 'upsert-replace'];
    await client.transaction(table, [
      ...kinds.map((kind) => [kind, entity('p', kind, { B: 2 })]),
      ['delete', entity('p', 'delete')],
    ]);
    const found = (await client.list(table)).map(({ row, properties }) => [row, 'A' in properties, 'B' in properties]);
    assert.deepEqual(
      found,
      kinds.map((kind) => [kind, kind === 'merge', true]),
    );
  });
  check('batch.results', async () => {
    const table = await newTable();
    const tags = await client.transaction(table, inserts(3));
    assert.deepEqual(
      tags,
      (await client.list(table)).map(({ tag }) => tag),
    );
  });
  const failures = [
    ['batch.index', 3, 1],
    ['batch.index-last', 100, 99],
  ];
  for (const [id, count, index] of failures)
    check(id, async () => {
      const table = await newTable();
      await client.insert(table, entity('p', row(index)));
      const rejection = await rejected(client.transaction(table, inserts(count)), 409, 'EntityAlreadyExists');
      assert.equal(rejection.index, index);
    });
  check('batch.atomic', async () => {
    const table = await newTable();
    const call = client.transaction(table, [...inserts(2), ['replace', entity('p', 'missing')]]);
    await rejected(call, 404, 'ResourceNotFound');
    assert.deepEqual(await rowKeys(table), []);
  });
  check('batch.duplicate', async () => {
    const twice = [entity(), entity()].map((one) => ['upsert-merge', one]);
    await rejected(client.transaction(await newTable(), twice), 400, 'InvalidDuplicateRow');
  });
  check('batch.too-many', async () => rejected(client.transaction(await newTable(), inserts(101)), 400));
  check('batch.partitions', async () =>
    rejected(client.transaction(await newTable(), [...inserts(1), ...inserts(1, 'q')]), 400),
  );
  check('batch.after-failure', async () => {
    const table = await newTable();
    await client.insert(table, entity('p', '000'));
    await rejected(client.transaction(table, inserts(100)), 409);
    await client.insert(table, entity('p', 'after'));
    assert.deepEqual(await rowKeys(table), ['000', 'after']);
  });
  check('batch.stale', async () => {
    const table = await newTable();
    const tag = await client.insert(table, entity('p', 'x'));
    await client.update(table, entity('p', 'x', { A: 1 }), 'replace');
    const call = client.transaction(table, [...inserts(1), ['replace', entity('p', 'x'), tag]]);
    assert.equal((await rejected(call, 412, 'UpdateConditionNotSatisfied')).index, 1);
  });
  const keys = [
    ['batch.quote', "it's"],
    ['batch.unicode', 'naïve 你好 😀'],
  ];
  for (const [id, key] of keys)
    check(id, async () => {
      const table = await newTable();
      await client.transaction(
        table,
        [key, `${key}2`].map((one) => ['insert', entity(key, one, { A: 1 })]),
      );
      await client.transaction(table, [
        ['merge', entity(key, key, { B: 2 })],
        ['delete', entity(key, `${key}2`)],
      ]);
      const [found, ...others] = await client.list(table);
      assert.deepEqual([found.row, found.properties.B, others], [key, ['Int32', '2'], []]);
    });
  check('batch.types', async () => {
    const table = await newTable();
    const isWhole = (id) => id.endsWith('double-whole');
    const isFine = (id) => id.endsWith('ticks') && !driver.hasTicks;
    const wanted = Object.entries(cases.values).filter(([id]) => !/long/.test(id) && !isWhole(id) && !isFine(id));
    const pairs = wanted.map(([id, [kind, text]]) => [id, [kind, expand(text)]]);
    await client.transaction(
      table,
      pairs.map(([id, pair]) => ['insert', entity('p', id, { V: pair })]),
    );
    const found = new Map((await client.list(table)).map(({ row, properties }) => [row, properties.V]));
    assert.deepEqual(
      pairs.filter(([id, pair]) => !same(pair, found.get(id))),
      [],
    );
  });
  check('batch.missing-table', () => rejected(client.transaction(newName(), inserts(2)), 404, 'TableNotFound'));
}
