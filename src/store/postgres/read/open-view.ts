import type pg from 'pg';
import type { EntityText } from '../../../entity/stored/entity.js';
import type { AccountState } from '../../snapshots.js';
import type { DatabasePlace } from '../../store-options.js';
import { compareOrdinal, partMax, type StoredTable, type StoreView, type TableSelection } from '../../stored-parts.js';
import { openLoneConnection } from '../connection/lone-connection.js';
import { createdOf, textOf } from '../schema/stamps.js';
import type { FrozenAccount, FrozenTable } from '../snapshots/frozen-account.js';
import { inOrder } from './read-ordinal-page.js';

const fetched = { first: 16, most: 400 } as const;

type ViewedTable = FrozenTable & { readonly account: string };

/** Opens a view of the wanted tables, in one database snapshot, on a connection of its own. Errors: StoreError with the fix. */
export async function openView(address: DatabasePlace, isWanted: TableSelection): Promise<StoreView> {
  const view = await viewTables(address, async (client) =>
    (await readTables(client)).filter(({ account, name }) => isWanted(account, name)),
  );
  return view as StoreView;
}

/** Implements `SnapshotStore.freeze`. Errors: as `openView`. */
export async function freezeState(
  address: DatabasePlace,
  { account, snapshot }: AccountState,
): Promise<StoreView | undefined> {
  return viewTables(address, async (client) => {
    if (snapshot === undefined) return (await readTables(client)).filter((table) => table.account === account);
    const text = "SELECT accounts FROM snapshots WHERE kind = 'named' AND name = $1";
    const [found] = (await client.query(text, [snapshot])).rows as { readonly accounts: string }[];
    const accounts = found && (JSON.parse(found.accounts) as readonly FrozenAccount[]);
    return accounts?.find(({ name }) => name === account)?.tables.map((table) => ({ ...table, account }));
  });
}

/** Opens a view of the tables that `find` returns; undefined if it returns none. */
async function viewTables(
  address: DatabasePlace,
  find: (client: pg.Client) => Promise<readonly ViewedTable[] | undefined>,
): Promise<StoreView | undefined> {
  let viewed: readonly ViewedTable[] | undefined;
  const { client, explain, end } = await openLoneConnection(address, async (opened) => {
    // The first statement fixes the moment for all of them.
    await opened.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    viewed = await find(opened);
  });
  if (!viewed) {
    await end();
    return undefined;
  }
  const ids = new Map<StoredTable, string>();
  for (const { account, name, id, created, policies, order } of viewed.toSorted(compareTables)) {
    const table = { account, name, created: createdOf(created), policies: JSON.parse(policies) };
    ids.set({ ...table, ...(order !== null && { order: 'insertion' }) }, id);
  }
  async function* entities(table: StoredTable, order: StoredTable['order']): AsyncGenerator<readonly EntityText[]> {
    try {
      yield* readEntities(client, ids.get(table) ?? '0', order);
    } catch (error) {
      throw explain(error);
    }
  }
  return {
    tables: [...ids.keys()],
    async *read() {
      for (const table of ids.keys()) {
        yield { kind: 'table', ...table };
        for await (const texts of entities(table, table.order)) yield { kind: 'entities', texts };
      }
    },
    entitiesByKey: (table) => entities(table, undefined),
    close: end,
  };
}

async function readTables(client: pg.Client): Promise<readonly ViewedTable[]> {
  const columns = 'account, name_key AS key, name, id, created, policies, row_order AS order';
  return (await client.query(`SELECT ${columns} FROM tables`)).rows;
}

function compareTables(one: ViewedTable, other: ViewedTable): number {
  return compareOrdinal(one.account, other.account) || compareOrdinal(one.key, other.key);
}

/** Reads a table through a cursor, which needs neither a sort nor memory on the server. */
async function* readEntities(
  client: pg.Client,
  id: string,
  order: StoredTable['order'],
): AsyncGenerator<readonly EntityText[]> {
  if (order !== undefined) await client.query(inOrder);
  // A cursor takes no parameters. The id is a number from the database.
  const rest = order === undefined ? 'ORDER BY pk, rk' : 'AND place IS NOT NULL ORDER BY place';
  await client.query(`DECLARE c NO SCROLL CURSOR FOR SELECT ts, body FROM entities WHERE table_id = ${id} ${rest}`);
  try {
    for (let count: number = fetched.first; ; ) {
      const { rows } = await client.query(`FETCH ${count} FROM c`);
      if (rows.length === 0) return;
      const texts = rows.map(({ ts, body }) => textOf(body, ts));
      yield texts;
      // Assumes that the next rows are as long as these.
      const bytes = texts.reduce((sum, text) => sum + text.length, 0);
      const fitting = Math.floor((partMax.bytes * texts.length) / bytes);
      count = Math.max(1, Math.min(fetched.most, 4 * count, fitting));
    }
  } finally {
    await client.query('CLOSE c').catch(() => {});
  }
}
