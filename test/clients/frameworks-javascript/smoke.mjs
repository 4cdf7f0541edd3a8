// Frameworks that keep their data in tables, unmodified, with the set-up that each documents: over HTTPS where they insist.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { keys, TableStorageAdapter } from '@auth/azure-tables-adapter';
import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { createStorage } from 'unstorage';
import azureTables from 'unstorage/drivers/azure-storage-table';

const env = process.env;
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;

/** Runs one step of a framework's smoke test, and reports it. */
function step(client, check, run) {
  test(`${client}: ${check}`, async () => {
    let why = '';
    try {
      await run();
    } catch (error) {
      why = String(error?.message ?? error).slice(0, 300);
      throw error;
    } finally {
      const result = why ? 'failed' : 'held';
      const line = { client, version: versionOf(client), framework: true, check, result, why };
      appendFileSync(env.TABLES_RESULTS, `${JSON.stringify(line)}\n`);
    }
  });
}

// unstorage's driver accepts no plain HTTP: the certificate is trusted with NODE_EXTRA_CA_CERTS.
const secure = (table) => TableClient.fromConnectionString(env.TABLES_HTTPS_CONNECTION_STRING, table);

const storage = createStorage({
  driver: azureTables({
    accountName: env.TABLES_ACCOUNT,
    connectionString: env.TABLES_HTTPS_CONNECTION_STRING,
    tableName: 'unstorage',
  }),
});
step('unstorage', 'stores and reads an item', async () => {
  await secure('unstorage').createTable();
  await storage.setItem('user:1', { name: "O'Brien", tags: ['a', 'b'] });
  assert.deepEqual(await storage.getItem('user:1'), { name: "O'Brien", tags: ['a', 'b'] });
});
step('unstorage', 'knows which items exist', async () => {
  assert.deepEqual([await storage.hasItem('user:1'), await storage.hasItem('user:2')], [true, false]);
});
step('unstorage', 'lists keys and metadata', async () => {
  await storage.setItem('user:2', 'plain');
  assert.deepEqual(await storage.getKeys(), ['user:1', 'user:2']);
  assert.ok((await storage.getMeta('user:1')).mtime instanceof Date);
});
step('unstorage', 'removes and clears', async () => {
  await storage.removeItem('user:1');
  assert.deepEqual(await storage.getKeys(), ['user:2']);
  await storage.clear();
  assert.deepEqual(await storage.getKeys(), []);
});

const credential = new AzureNamedKeyCredential(env.TABLES_ACCOUNT, env.TABLES_KEY);
const authTable = new TableClient(env.TABLES_HTTPS_ENDPOINT, 'auth', credential);
const adapter = TableStorageAdapter(authTable);
let user;
step('@auth/azure-tables-adapter', 'creates and finds a user', async () => {
  await authTable.createTable();
  user = await adapter.createUser({ email: 'ada@example.com', name: 'Ada', emailVerified: new Date('2026-01-01') });
  assert.deepEqual((await adapter.getUser(user.id)).email, 'ada@example.com');
  assert.deepEqual((await adapter.getUserByEmail('ada@example.com')).id, user.id);
  assert.equal(await adapter.getUser('missing'), null);
  assert.ok(keys.user);
});
step('@auth/azure-tables-adapter', 'links and unlinks an account', async () => {
  const account = { provider: 'github', providerAccountId: '7', type: 'oauth', userId: user.id };
  await adapter.linkAccount(account);
  assert.equal((await adapter.getUserByAccount(account)).id, user.id);
  await adapter.unlinkAccount(account);
  assert.equal(await adapter.getUserByAccount(account), null);
});
step('@auth/azure-tables-adapter', 'keeps sessions', async () => {
  const expires = new Date('2030-01-01');
  await adapter.createSession({ sessionToken: 'token', userId: user.id, expires });
  assert.equal((await adapter.getSessionAndUser('token')).user.id, user.id);
  await adapter.updateSession({ sessionToken: 'token', expires: new Date('2031-01-01') });
  assert.deepEqual((await adapter.getSessionAndUser('token')).session.expires, new Date('2031-01-01'));
  await adapter.deleteSession('token');
  assert.equal(await adapter.getSessionAndUser('token'), null);
});
step('@auth/azure-tables-adapter', 'uses a verification token once', async () => {
  const asked = { identifier: 'ada@example.com', token: 'once' };
  await adapter.createVerificationToken({ ...asked, expires: new Date('2030-01-01') });
  assert.deepEqual((await adapter.useVerificationToken(asked)).expires, new Date('2030-01-01'));
  assert.equal(await adapter.useVerificationToken(asked), null);
});
step('@auth/azure-tables-adapter', 'deletes a user with an account and a session', async () => {
  await adapter.linkAccount({ provider: 'github', providerAccountId: '8', type: 'oauth', userId: user.id });
  await adapter.createSession({ sessionToken: 'last', userId: user.id, expires: new Date('2030-01-01') });
  await adapter.deleteUser(user.id);
  assert.equal(await adapter.getUser(user.id), null);
});

step('@nestjs/azure-database', 'creates, finds, updates and deletes', async () => {
  await import('reflect-metadata');
  const { AzureTableStorageModule, getRepositoryToken } = await import('@nestjs/azure-database').then(
    async (module) => ({
      ...module,
      ...(await import('@nestjs/azure-database/dist/table-storage/azure-table.providers.js')),
    }),
  );
  const { NestFactory } = await import('@nestjs/core');
  class Contact {}
  class App {}
  env.AZURE_STORAGE_CONNECTION_STRING = env.TABLES_HTTPS_CONNECTION_STRING;
  const feature = AzureTableStorageModule.forFeature(Contact, { table: 'contacts', createTableIfNotExists: true });
  const root = { module: App, imports: [feature] };
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  const contacts = app.get(getRepositoryToken(Contact), { strict: false });
  const contact = Object.assign(new Contact(), { partitionKey: 'p', rowKey: 'r', name: 'Ada', age: 36 });
  await contacts.create(contact);
  assert.equal((await contacts.find('p', 'r')).name, 'Ada');
  await contacts.update('p', 'r', Object.assign(new Contact(), { name: 'Grace' }));
  assert.equal((await contacts.find('p', 'r')).name, 'Grace');
  assert.equal((await contacts.findAll()).length, 1);
  await contacts.delete('p', 'r');
  assert.equal((await contacts.findAll()).length, 0);
  await app.close();
});

step('connect-azuretables', 'keeps, touches and destroys a session', async () => {
  env.AZURE_STORAGE_CONNECTION_STRING = env.TABLES_CONNECTION_STRING;
  const { default: session } = await import('express-session');
  const { default: connect } = await import('connect-azuretables');
  const store = connect(session).create({ table: 'sessions' });
  const ask = (method, ...rest) =>
    new Promise((resolve, reject) =>
      store[method](...rest, (error, result) => (error ? reject(error) : resolve(result))),
    );
  const table = TableClient.fromConnectionString(env.TABLES_CONNECTION_STRING, 'sessions', {
    allowInsecureConnection: true,
  });
  // The store creates its table without telling when it is there; creating it again waits for it.
  await table.createTable();
  await ask('set', 'sid', { cookie: { maxAge: 60_000 }, views: 3 });
  assert.equal((await ask('get', 'sid')).views, 3);
  await ask('touch', 'sid', { cookie: { maxAge: 60_000 }, views: 3 });
  await ask('destroy', 'sid');
  assert.ok(!(await ask('get', 'sid')));
});
