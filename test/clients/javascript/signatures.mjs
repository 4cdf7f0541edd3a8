// Shared access signatures, stored policies and service properties.
import assert from 'node:assert/strict';
import { entity, hours, rejected } from './model.mjs';

export function checkSignatures({ driver, client, check, newName, newTable, signed }) {
  const mismatch = [403, 'AuthorizationPermissionMismatch'];
  const expiry = hours(1);
  const filled = async () => {
    const table = await newTable();
    for (const partition of ['a', 'b', 'c']) await client.insert(table, entity(partition, 'r', { A: 1 }));
    return table;
  };
  const keys = async (one, table) => (await one.list(table)).map(({ partition, row }) => partition + row).join(' ');
  /** Runs a check with a filled table, and a client whose signature has these rights. */
  const withRights = (id, rights, run) =>
    check(id, async () => {
      const table = await filled();
      await run(signed({ table, expiry, ...rights }), table);
    });

  withRights('sas.query', { permissions: 'r' }, async (one, table) => {
    assert.equal(await keys(one, table), 'ar br cr');
    assert.equal((await one.get(table, 'a', 'r')).row, 'r');
  });
  withRights('sas.add', { permissions: 'a' }, async (one, table) => {
    await one.insert(table, entity('d'));
    assert.equal(await keys(client, table), 'ar br cr dr');
  });
  withRights('sas.update', { permissions: 'u' }, async (one, table) => {
    await one.update(table, entity('a', 'r', { A: 2 }), 'merge');
    await one.update(table, entity('b', 'r', { A: 2 }), 'replace');
    assert.equal((await client.list(table, 'A eq 2')).length, 2);
  });
  withRights('sas.delete', { permissions: 'd' }, async (one, table) => {
    await one.delete(table, 'a', 'r');
    assert.equal(await keys(client, table), 'br cr');
  });
  withRights('sas.upsert', { permissions: 'au' }, async (one, table) => {
    await one.upsert(table, entity('d'), 'merge');
    await one.upsert(table, entity('a'), 'replace');
    assert.equal(await keys(client, table), 'ar br cr dr');
  });
  withRights('sas.no-query', { permissions: 'a' }, (one, table) => rejected(one.list(table), ...mismatch));
  withRights('sas.no-add', { permissions: 'r' }, (one, table) => rejected(one.insert(table, entity('d')), ...mismatch));
  withRights('sas.no-delete', { permissions: 'rau' }, (one, table) =>
    rejected(one.delete(table, 'a', 'r'), ...mismatch),
  );
  withRights('sas.upsert-half', { permissions: 'u' }, (one, table) =>
    rejected(one.upsert(table, entity('a'), 'merge'), ...mismatch),
  );
  withRights('sas.transaction', {}, async (one, table) => {
    await one.transaction(table, [
      ['insert', entity('a', 's')],
      ['delete', entity('a', 'r')],
    ]);
    assert.equal(await keys(client, table), 'as br cr');
  });
  withRights('sas.other-table', {}, async (one) => rejected(one.list(await newTable()), 403));
  withRights('sas.expired', { start: hours(-2), expiry: hours(-1) }, (one, table) =>
    rejected(one.list(table), 403, 'AuthenticationFailed'),
  );
  withRights('sas.early', { start: hours(1), expiry: hours(2) }, (one, table) =>
    rejected(one.list(table), 403, 'AuthenticationFailed'),
  );
  check('sas.tampered', async () => {
    const table = await filled();
    const sas = driver.sign({ table, permissions: 'r', expiry }).replace('sp=r', 'sp=raud');
    await rejected(driver.open({ sas }).list(table), 403, 'AuthenticationFailed');
  });
  const range = { keys: ['b', '', 'c', 'z'] };
  withRights('sas.range-list', range, async (one, table) => assert.equal(await keys(one, table), 'br cr'));
  withRights('sas.range-write', range, (one, table) =>
    rejected(one.insert(table, entity('a', 'new')), 403, 'AuthorizationFailure'),
  );
  withRights('sas.address', { address: '127.0.0.1' }, async (one, table) =>
    assert.equal(await keys(one, table), 'ar br cr'),
  );
  withRights('sas.other-address', { address: '10.0.0.1-10.0.0.9' }, (one, table) =>
    rejected(one.list(table), 403, 'AuthorizationSourceIPMismatch'),
  );
  withRights('sas.https-only', { httpsOnly: true }, (one, table) =>
    rejected(one.list(table), 403, 'AuthorizationProtocolMismatch'),
  );

  const reader = ['reader', ['r', hours(-1), hours(1)]];
  check('sas.policy', async () => {
    const table = await filled();
    await client.setPolicies(table, [reader]);
    const one = signed({ table, policy: 'reader' });
    assert.equal(await keys(one, table), 'ar br cr');
    await rejected(one.insert(table, entity('d')), ...mismatch);
  });
  check('sas.policy-removed', async () => {
    const table = await filled();
    await client.setPolicies(table, [reader]);
    await client.setPolicies(table, []);
    await rejected(signed({ table, policy: 'reader' }).list(table), 403, 'AuthenticationFailed');
  });
  const all = { permissions: 'rwdlacu', expiry };
  check('sas.account', async () => {
    const [one, table] = [signed(all), newName()];
    await one.createTable(table);
    assert.ok((await one.tablePages()).flat().includes(table));
  });
  check('sas.account-entities', async () => {
    const [one, table] = [signed(all), await filled()];
    await one.insert(table, entity('d'));
    assert.equal(await keys(one, table), 'ar br cr dr');
  });
  check('sas.account-no-type', async () =>
    rejected(signed({ ...all, types: 's' }).list(await filled()), 403, 'AuthorizationResourceTypeMismatch'),
  );
  check('sas.account-no-right', async () =>
    rejected(signed({ permissions: 'r', expiry }).insert(await filled(), entity('d')), ...mismatch),
  );

  check('policy.write', async () => {
    const table = await newTable();
    const policies = [reader, ['writer', ['raud', hours(-1), hours(2)]]];
    await client.setPolicies(table, policies);
    assert.deepEqual(await client.policies(table), policies);
  });
  check('policy.replace', async () => {
    const table = await newTable();
    await client.setPolicies(table, [reader]);
    await client.setPolicies(table, [['two', ['a', hours(-1), hours(1)]]]);
    assert.deepEqual(
      (await client.policies(table)).map(([id]) => id),
      ['two'],
    );
  });
  check('policy.partial', async () => {
    const table = await newTable();
    const policies = [['one', ['r', undefined, hours(1)]]];
    await client.setPolicies(table, policies);
    assert.deepEqual(await client.policies(table), policies);
  });
  check('policy.none', async () => assert.deepEqual(await client.policies(await newTable()), []));
  check('service.properties', async () => {
    const origins = ['http://one.example', 'http://two.example'];
    await client.setProperties({ days: 7, origins });
    const found = await client.properties();
    assert.deepEqual(found, { covers: [true, true, false], days: 7, metrics: true, origins });
    await client.setProperties({});
  });
  check('service.retention', () => rejected(client.setProperties({ days: 366 }), 400));
  check('service.cors-many', () => {
    const origins = [1, 2, 3, 4, 5, 6].map((at) => `http://${at}.example`);
    return rejected(client.setProperties({ origins }), 400);
  });
  check('service.statistics', async () => assert.equal(await driver.openStatistics().statistics(), 'live'));
}
