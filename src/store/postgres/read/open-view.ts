import type pg from 'pg';
import type { DatabasePlace } from '../../store-options.js';
import { compareOrdinal, partMax, type StoredPart, type StoreView, type TableSelection } from '../../stored-parts.js';
import { openLoneConnection } from '../connection/lone-connection.js';
import { createdOf, textOf } from '../schema/stamps.js';
import { inOrder } from './read-ordinal-page.js';

/** Rows that are fetched at first, and at most. */
const fetched = { first: 16, most: 400 } as const;

/**
 * Opens a view of the wanted tables. Everything is read from one snapshot of the database, on a connection of its own.
 *
 * Errors: StoreError when the data cannot be read, with what to do.
 */
export async function openView(address: DatabasePlace, isWanted: TableSelection): Promise<StoreView> {
  const { client, explain, end } = await openLoneConnection(address, async (opened) => {
    await opened.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The first statement decides which moment all of them see.
    await opened.query('SELECT FROM format');
  });
  return {
    async *read() {
      try {
        yield* readTables(client, isWanted);
      } catch (error) {
        throw explain(error);
      }
    },
    close: end,
  };
}

/** Yields the wanted tables of a schema, each with its entities in its own order. The client must be in a transaction. */
async function* readTables(client: pg.Client, isWanted: TableSelection): AsyncGenerator<StoredPart> {
  const { rows } = await client.query('SELECT account, name_key, name, id, created, policies, row_order FROM tables');
  const tables = (rows as TableRow[]).sort((a, b) => compareOrdinal(sortKeyOf(a), sortKeyOf(b)));
  for (const { account, name, id, created, policies, row_order: order } of tables) {
    if (!isWanted(account, name)) continue;
    const table = { account, name, created: createdOf(created), policies: JSON.parse(policies) };
    yield { kind: 'table', ...table, ...(order && { order }) };
    yield* readEntities(client, id, order);
  }
}

interface TableRow {
  readonly account: string;
  readonly name_key: string;
  readonly name: string;
  readonly id: string;
  readonly created: string;
  readonly policies: string;
  readonly row_order: 'insertion' | null;
}

function sortKeyOf({ account, name_key }: TableRow): string {
  return `${account}\0${name_key}`;
}

/** Reads a table through a cursor, which needs no sort and no memory of the server. */
async function* readEntities(client: pg.Client, id: string, order: TableRow['row_order']): AsyncGenerator<StoredPart> {
  if (order !== null) await client.query(inOrder);
  // A cursor takes no parameters. The id is a number of the database.
  await client.query(
    `DECLARE c NO SCROLL CURSOR FOR SELECT ts, body FROM entities WHERE table_id = ${id}${order === null ? ' ORDER BY pk, rk' : ' AND place IS NOT NULL ORDER BY place'}`,
  );
  let count: number = fetched.first;
  for (;;) {
    const { rows } = await client.query(`FETCH ${count} FROM c`);
    if (rows.length === 0) break;
    const texts = rows.map(({ ts, body }) => textOf(body, ts));
    yield { kind: 'entities', texts };
    // As many as fit, if the next rows are as long as these.
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    const fitting = Math.floor((partMax.bytes * texts.length) / bytes);
    count = Math.max(1, Math.min(fetched.most, 4 * count, fitting));
  }
  await client.query('CLOSE c');
}
