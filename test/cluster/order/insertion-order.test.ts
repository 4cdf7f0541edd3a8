import { describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { storageTraits } from '../../../src/protocol/service-traits.js';
import { encodeKey } from '../../../src/store/postgres/schema/keys.js';
import { bodyOf, unstamped } from '../../../src/store/postgres/schema/stamps.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { openSession } from '../../support/programs/open-session.js';
import { account, commit, insert, keyAt, remove, replace, rowsOf } from '../../support/store/store-changes.js';

const url = clusterDatabase ?? 'postgres://localhost/none';
const table = 'Table';

describe.skipIf(!clusterDatabase)('two servers on one database', () => {
  it('have one order of insertion, in which a row is after those that were acknowledged before it', async () => {
    const { stores, dispose } = await openCluster([url, url]);
    const [one, two] = stores;
    if (!one || !two) throw new Error('two stores are open');
    for (const store of stores) await store.openAccount(account, cosmosTraits);
    await one.createTable(account, table);
    const expected: string[] = [];
    for (let at = 0; at < 60; at++) {
      // Other writes of both continue in larger groups, and must not move rows.
      const noise = [one, two].map((store, from) => commit(store, table, replace(keyAt('n', `noise${from}`), at)));
      await commit(at % 2 ? one : two, table, insert(keyAt(String((at * 37) % 60))));
      expected.push(`p/${(at * 37) % 60}`);
      await Promise.all(noise);
    }
    await commit(two, table, remove(keyAt('0')));
    await commit(one, table, insert(keyAt('0')));
    const ofPartition = (rows: readonly string[]) => rows.filter((row) => row.startsWith('p/'));
    const wanted = [...expected.filter((row) => row !== 'p/0'), 'p/0'];
    expect(ofPartition(await rowsOf(one, table))).toEqual(wanted);
    expect(await rowsOf(two, table)).toEqual(await rowsOf(one, table));
    await dispose();
  });

  it('take rows of a server of the last version, which knows no ordinals', async () => {
    const { stores, schema, dispose } = await openCluster([url]);
    const [store] = stores;
    if (!store) throw new Error('a store is open');
    const client = await openSession({ url, schema });
    const made = `INSERT INTO tables (account, name_key, name, created, policies)
      SELECT $1, $2, $3, 134000000000000000, '[]' ON CONFLICT (account, name_key) DO NOTHING RETURNING id`;
    const [{ id }] = (await client.query(made, [account, 'table', table])).rows;
    const written = 'INSERT INTO entities (table_id, pk, rk, ts, body) VALUES ($1, $2, $3, 134000000000000000, $4)';
    for (const row of ['b', 'a']) {
      await client.query(written, [
        id,
        encodeKey('p'),
        encodeKey(row),
        bodyOf(writeEntityText(keyAt(row), unstamped, [])),
      ]);
    }
    await client.end();
    await commit(store, table, insert(keyAt('c')));
    expect(await rowsOf(store, table)).toEqual(['p/a', 'p/b', 'p/c']);
    await dispose();
  });

  it('cannot use an account for two services', async () => {
    const { stores, dispose } = await openCluster([url, url]);
    const [one, two] = stores;
    await one?.openAccount(account, cosmosTraits);
    await two?.openAccount(account, storageTraits);
    await one?.createTable(account, table);
    await expect(two?.createTable(account, 'Other')).rejects.toThrow(
      "The account account has data of the service 'cosmos', and is to be used with the service 'storage'.",
    );
    await dispose();
  });
});
