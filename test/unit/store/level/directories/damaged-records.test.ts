import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../../../src/dialects/cosmos/traits.js';
import { defaultServiceProperties } from '../../../../../src/protocol/service-properties.js';
import { clockKey, encodeNamedKey, encodeTableKey } from '../../../../../src/store/level/engine/key-encoding.js';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import { StoreError } from '../../../../../src/store/store-error.js';
import { openAt, removeLog } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { account } from '../../../../support/store/store-changes.js';

let location: string;
beforeEach(async () => {
  location = await makeFolder();
  const store = await openAt(location);
  await store.createTable(account, 'Table');
  await store.openTable(account, 'Table').writeAccessPolicies([{ id: 'one', permission: 'r' }, { id: 'two' }]);
  await store.writeServiceProperties(account, {
    ...defaultServiceProperties,
    cors: [{ methods: ['GET'], origins: ['*'], allowedHeaders: [], exposedHeaders: [], maxAgeSeconds: 5 }],
  });
  await store.openAccount('other', cosmosTraits);
  await store.createTable('other', 'Table');
  await store.close();
  await removeLog(join(location, dataFolder));
});
afterEach(() => rm(location, { recursive: true }));

/** Changes a record through the engine, so that checksums stay valid. */
async function rewrite(key: string, change: (value: string) => string): Promise<void> {
  const level = new Level<string, string>(join(location, dataFolder));
  const value = await level.get(key);
  await level.put(key, change(value ?? ''));
  await level.close();
}

async function rejection(): Promise<string> {
  const error: unknown = await openAt(location).then(
    async (store) => {
      await store.close();
      throw new Error('the store opened');
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw error;
  return error.message;
}

const message = (record: string) =>
  `The data in ${join(location, dataFolder)} is damaged: ${record} cannot be read. Restore a copy of the folder.`;

const changes: readonly (readonly [string, (value: string) => string])[] = [
  ['is cut', (value) => value.slice(0, -3)],
  ['is empty', () => ''],
  ['is something else', () => 'null'],
  ['lacks a part', () => '{"name":"Table","cors":[]}'],
];

describe('A store is rejected as damaged when', () => {
  it.each(changes)('the record of a table %s', async (_, change) => {
    await rewrite(encodeTableKey(account, 'table'), change);
    expect(await rejection()).toBe(message(`the record of the table table of the account ${account}`));
  });

  it.each([
    ['another table', '"name":"Table"', '"name":"Other"'],
    ['a policy without an id', '"id":"two"', '"start":"two"'],
    ['an id that no table has', '"id":"', '"id":"\\u0000'],
  ])('the record of a table contains %s', async (_, text, other) => {
    await rewrite(encodeTableKey(account, 'table'), (value) => value.replace(text, other));
    expect(await rejection()).toBe(message(`the record of the table table of the account ${account}`));
  });

  it.each(changes)('the record of settings %s', async (_, change) => {
    await rewrite(encodeNamedKey('service', account), change);
    expect(await rejection()).toBe(message(`the record of the settings of the account ${account}`));
  });

  it('the record of settings contains a CORS rule without origins', async () => {
    await rewrite(encodeNamedKey('service', account), (value) => value.replace('"origins"', '"0rigins"'));
    expect(await rejection()).toBe(message(`the record of the settings of the account ${account}`));
  });

  it.each(changes)('the record of an account of another service %s', async (_, change) => {
    await rewrite(encodeNamedKey('account', 'other'), change);
    expect(await rejection()).toBe(message('the record of the account other'));
  });

  it.each(changes)('the record of the clock %s', async (_, change) => {
    await rewrite(clockKey, change);
    expect(await rejection()).toBe(message('the record of the last Timestamp'));
  });
});

it('A store with valid records opens', async () => {
  await expect(openAt(location).then((store) => store.close())).resolves.toBeUndefined();
});
