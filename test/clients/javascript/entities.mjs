// Entities and their tags.
import assert from 'node:assert/strict';
import { entity, numbers, rejected } from './model.mjs';

export function checkEntities({ client, check, newTable }) {
  const ab = () => entity('p', 'r', { A: 1, B: 2 });
  const b3 = () => entity('p', 'r', { B: 3 });
  const many = (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`P${at}`, at]));
  const read = async (table) => numbers(await client.get(table, 'p', 'r'));

  check('entity.insert', async () => {
    const table = await newTable();
    await client.insert(table, entity('p', 'r', { A: 1, B: ['String', 'two'] }));
    const { partition, row, properties } = await client.get(table, 'p', 'r');
    assert.deepEqual([partition, row, properties.A, properties.B], ['p', 'r', ['Int32', '1'], ['String', 'two']]);
  });
  check('entity.insert-twice', async () => {
    const table = await newTable();
    await client.insert(table, ab());
    await rejected(client.insert(table, ab()), 409, 'EntityAlreadyExists');
  });
  check('entity.get-missing', async () => rejected(client.get(await newTable(), 'p', 'r'), 404, 'ResourceNotFound'));
  check('entity.get-select', async () => {
    const table = await newTable();
    await client.insert(table, ab());
    assert.deepEqual(numbers(await client.get(table, 'p', 'r', ['A'])), { A: 1 });
  });
  const updates = [
    ['entity.replace', 'replace', { B: 3 }],
    ['entity.merge', 'merge', { A: 1, B: 3 }],
  ];
  for (const [id, how, after] of updates)
    check(id, async () => {
      const table = await newTable();
      await client.insert(table, ab());
      await client.update(table, b3(), how);
      assert.deepEqual(await read(table), after);
    });
  const missing = [
    ['entity.replace-missing', 'replace'],
    ['entity.merge-missing', 'merge'],
  ];
  for (const [id, how] of missing)
    check(id, async () => rejected(client.update(await newTable(), ab(), how), 404, 'ResourceNotFound'));
  const upserts = [
    ['entity.upsert-replace-new', 'replace', false, { B: 3 }],
    ['entity.upsert-replace-old', 'replace', true, { B: 3 }],
    ['entity.upsert-merge-new', 'merge', false, { B: 3 }],
    ['entity.upsert-merge-old', 'merge', true, { A: 1, B: 3 }],
  ];
  for (const [id, how, exists, after] of upserts)
    check(id, async () => {
      const table = await newTable();
      if (exists) await client.insert(table, entity('p', 'r', { A: 1 }));
      await client.upsert(table, b3(), how);
      assert.deepEqual(await read(table), after);
    });
  check('entity.delete', async () => {
    const table = await newTable();
    await client.insert(table, ab());
    await client.delete(table, 'p', 'r');
    await rejected(client.get(table, 'p', 'r'), 404, 'ResourceNotFound');
  });
  check('entity.delete-missing', async () =>
    rejected(client.delete(await newTable(), 'p', 'r'), 404, 'ResourceNotFound'),
  );
  check('entity.timestamp', async () => {
    const table = await newTable();
    await client.insert(table, ab());
    const { timestamp } = await client.get(table, 'p', 'r');
    assert.ok(Math.abs(Date.now() - new Date(timestamp).getTime()) < 3_600_000, String(timestamp));
  });
  check('entity.no-properties', async () => {
    const table = await newTable();
    await client.insert(table, entity());
    assert.deepEqual(await read(table), {});
  });
  check('entity.many-properties', async () => {
    const table = await newTable();
    await client.insert(table, entity('p', 'r', many(252)));
    assert.deepEqual(await read(table), many(252));
  });
  const texts = Object.fromEntries(Object.keys(many(17)).map((name) => [name, ['String', 'x'.repeat(32_000)]]));
  const rejections = [
    ['entity.too-many-properties', 'TooManyProperties', many(253)],
    ['entity.too-large', 'EntityTooLarge', texts],
    ['entity.large-property', 'PropertyValueTooLarge', { A: ['String', 'x'.repeat(32_769)] }],
    ['entity.property-name', 'PropertyNameInvalid', { 'a-b': 1 }],
  ];
  for (const [id, code, properties] of rejections)
    check(id, async () => rejected(client.insert(await newTable(), entity('p', 'r', properties)), 400, code));
  check('entity.long-key', async () => rejected(client.insert(await newTable(), entity('p'.repeat(513))), 400));

  check('tag.insert', async () => {
    const table = await newTable();
    const tag = await client.insert(table, ab());
    assert.ok(tag);
    assert.equal((await client.get(table, 'p', 'r')).tag, tag);
  });
  check('tag.changes', async () => {
    const table = await newTable();
    const tags = [
      await client.insert(table, ab()),
      await client.update(table, ab(), 'replace'),
      await client.update(table, ab(), 'merge'),
      await client.upsert(table, ab(), 'replace'),
    ];
    assert.equal(new Set(tags).size, 4);
  });
  const current = [
    ['tag.replace', 'replace'],
    ['tag.merge', 'merge'],
  ];
  for (const [id, how] of current)
    check(id, async () => {
      const table = await newTable();
      const tag = await client.insert(table, entity('p', 'r', { B: 1 }));
      await client.update(table, b3(), how, tag);
      assert.deepEqual(await read(table), { B: 3 });
    });
  check('tag.delete', async () => {
    const table = await newTable();
    await client.delete(table, 'p', 'r', await client.insert(table, ab()));
    assert.deepEqual(await client.list(table), []);
  });
  const old = [
    ['tag.stale-replace', (table, tag) => client.update(table, b3(), 'replace', tag)],
    ['tag.stale-merge', (table, tag) => client.update(table, b3(), 'merge', tag)],
    ['tag.stale-delete', (table, tag) => client.delete(table, 'p', 'r', tag)],
  ];
  for (const [id, write] of old)
    check(id, async () => {
      const table = await newTable();
      const tag = await client.insert(table, ab());
      await client.update(table, ab(), 'replace');
      await rejected(write(table, tag), 412, 'UpdateConditionNotSatisfied');
    });
}
