// Accounts, addresses, tokens and tables.
import assert from 'node:assert/strict';
import { entity, environment as env, numbers, rejected } from './model.mjs';

export function checkAccounts({ driver, client, check, newName, newTable }) {
  const writeAndRead = async (one) => {
    const table = newName();
    await one.createTable(table);
    await one.insert(table, entity('p', 'r', { A: 1 }));
    assert.deepEqual(numbers(await one.get(table, 'p', 'r')), { A: 1 });
  };
  const writeTogether = async (one) => {
    const table = newName();
    await one.createTable(table);
    await one.transaction(table, [
      ['insert', entity('p', '1')],
      ['insert', entity('p', '2')],
    ]);
    const rows = await one.list(table);
    assert.deepEqual(
      rows.map(({ row }) => row),
      ['1', '2'],
    );
  };
  const https = { endpoint: env.TABLES_HTTPS_ENDPOINT };
  const host = { endpoint: env.TABLES_HOST_ENDPOINT };
  const secondary = { endpoint: env.TABLES_SECONDARY_ENDPOINT };
  const bearer = { ...https, token: env.TABLES_TOKEN };

  check('auth.shared-key', () => writeAndRead(client));
  check('auth.connection-string', () => writeAndRead(driver.open({ connectionString: env.TABLES_CONNECTION_STRING })));
  check('auth.wrong-key', async () => {
    const key = Buffer.from('another key').toString('base64');
    await rejected(driver.open({ key }).tablePages(), 403, 'AuthenticationFailed');
  });
  check('auth.host-style', () => writeAndRead(driver.open(host)));
  check('auth.host-style-transaction', () => writeTogether(driver.open(host)));
  check('auth.secondary-read', async () => {
    const table = await newTable();
    await client.insert(table, entity('p', 'r', { A: 1 }));
    assert.deepEqual(numbers(await driver.open(secondary).get(table, 'p', 'r')), { A: 1 });
  });
  check('auth.secondary-write', async () => {
    const table = await newTable();
    await rejected(driver.open(secondary).insert(table, entity()), 403, 'InsufficientAccountPermissions');
  });
  check('auth.https', () => writeAndRead(driver.open(https)));
  check('auth.https-transaction', () => writeTogether(driver.open(https)));
  check('auth.https-untrusted', () =>
    assert.rejects(driver.open({ ...https, trusted: false }).tablePages(), /certificate/),
  );
  check('auth.bearer', async () => writeAndRead(driver.open(bearer)));
  check('auth.bearer-transaction', async () => writeTogether(driver.open(bearer)));
  check('auth.bearer-expired', async () => {
    const one = driver.open({ ...https, token: env.TABLES_EXPIRED_TOKEN });
    await assert.rejects(one.tablePages(), ({ status }) => status === 401 || status === 403);
  });

  const names = async (...query) => (await client.tablePages(...query)).flat();
  check('table.create', async () => {
    const table = await newTable();
    assert.ok((await names()).includes(table));
  });
  check('table.create-twice', async () => rejected(client.createTable(await newTable()), 409, 'TableAlreadyExists'));
  check('table.create-case', async () =>
    rejected(client.createTable((await newTable()).toUpperCase()), 409, 'TableAlreadyExists'),
  );
  check('table.invalid-name', () => rejected(client.createTable('a-b'), 400));
  check('table.delete', async () => {
    const table = await newTable();
    await client.deleteTable(table);
    assert.ok(!(await names()).includes(table));
  });
  check('table.delete-missing', () => rejected(client.deleteTable(newName()), 404, 'ResourceNotFound'));
  check('table.recreate', async () => {
    const table = await newTable();
    await client.insert(table, entity());
    await client.deleteTable(table);
    await client.createTable(table);
    assert.deepEqual(await client.list(table), []);
  });
  check('table.filter', async () => {
    const table = await newTable();
    assert.deepEqual(await names(`TableName eq '${table}'`), [table]);
  });
  check('table.pages', async () => {
    await client.tablePages('', 2);
    for (const at of [1, 2, 3, 4, 5]) await client.createTable(`pages${at}`);
    const pages = await client.tablePages("TableName ge 'pages' and TableName lt 'paget'", 2);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [2, 2, 1],
    );
  });
  check('table.missing', () => rejected(client.insert(newName(), entity()), 404, 'TableNotFound'));
}
