import type pg from 'pg';
import { defaultServiceProperties } from '../../../protocol/service-properties.js';
import type { AccountRecord } from '../../account-services.js';
import {
  compareOrdinal,
  partMax,
  type StoredPart,
  type StoreReader,
  type TableSelection,
} from '../../copy/stored-parts.js';
import { StoreError } from '../../store-error.js';
import type { DatabasePlace } from '../../store-options.js';
import { openCopyConnection } from '../connection/copy-connection.js';
import { type DatabaseAddress, nameOf } from '../connection/database-address.js';
import { encodeOrdinal } from '../read/ordinals.js';
import { inOrder } from '../read/read-ordinal-page.js';
import { readVersion, refuseUnfinishedCopy } from '../schema/create-schema.js';
import { createdOf, textOf, timeOf } from '../schema/stamps.js';
import { clock } from '../schema/statements.js';

/** Rows that are fetched at first, and at most. */
const fetched = { first: 16, most: 400 } as const;

/**
 * Opens a schema for reading: all of it, or the wanted tables alone. Everything is read from one snapshot: writes that are
 * made later are not seen.
 *
 * Errors: StoreError when there is no data or it cannot be read, with what to do; the reason of the signal.
 */
export async function openDatabaseReader(
  address: DatabasePlace,
  { signal, isWanted }: { readonly signal?: AbortSignal; readonly isWanted?: TableSelection },
): Promise<StoreReader> {
  signal?.throwIfAborted();
  const { client, explain, end } = await openCopyConnection(address, async (opened) => {
    await checkSchema(opened, address);
    await opened.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The first statement decides which moment all of them see.
    await opened.query('SELECT FROM format');
  });
  return {
    async *read() {
      try {
        yield* isWanted ? readTables(client, isWanted, 'table') : readSchema(client);
      } catch (error) {
        throw explain(error);
      }
    },
    close: end,
  };
}

/** Checks the schema. Errors: StoreError if it has no data, or data that this version cannot read as it is. */
async function checkSchema(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const version = await readVersion(client, address);
  if (version === undefined) {
    const remedy = 'Check the address and the name of the schema.';
    throw new StoreError('no-access', `There is no data in ${nameOf(address)}.`, remedy);
  }
  await refuseUnfinishedCopy(client, address);
}

/** Returns everything in a schema, in the order of `StoreReader.read`. The client must be in a transaction. */
export async function* readSchema(client: pg.Client): AsyncGenerator<StoredPart> {
  const { rows: clocks } = await client.query(`SELECT ${clock}::text AS ticks`);
  yield { kind: 'clock', last: timeOf(clocks[0].ticks) };
  yield* await readAccounts(client);
  yield* await readSettings(client);
  const { rows: branches } = await client.query('SELECT account FROM branches');
  // Branches are throw-away accounts.
  const left = new Set(branches.map(({ account }) => account));
  yield* readTables(client, (account) => !left.has(account), 'key');
}

/** Returns the tables of a schema that are wanted, each with its entities: in key order, or in the order of the table. */
async function* readTables(
  client: pg.Client,
  isWanted: TableSelection,
  by: 'key' | 'table',
): AsyncGenerator<StoredPart> {
  const { rows } = await client.query('SELECT account, name_key, name, id, created, policies, row_order FROM tables');
  const tables = (rows as TableRow[]).sort((a, b) => compareOrdinal(sortKeyOf(a), sortKeyOf(b)));
  for (const { account, name, id, created, policies, row_order: order } of tables) {
    if (!isWanted(account, name)) continue;
    const table = { account, name, created: createdOf(created), policies: JSON.parse(policies) };
    yield { kind: 'table', ...table, ...(order && { order }) };
    const hasOrdinals = order !== null;
    yield* readEntities(client, id, { hasOrdinals, by: hasOrdinals && by === 'table' ? 'ordinal' : 'key' });
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

async function readAccounts(client: pg.Client): Promise<StoredPart[]> {
  const { rows } = await client.query('SELECT account, service, exact_names AS "exactNames" FROM accounts');
  const records = rows as AccountRecord[];
  return records
    .sort((a, b) => compareOrdinal(a.account, b.account))
    .map((record): StoredPart => ({ kind: 'account', ...record }));
}

async function readSettings(client: pg.Client): Promise<StoredPart[]> {
  const { rows } = await client.query(
    'SELECT account, name, value FROM settings WHERE account NOT IN (SELECT account FROM branches)',
  );
  const accounts = [...new Set(rows.map(({ account }) => String(account)))].sort(compareOrdinal);
  return accounts.map((account) => {
    const own = rows.filter((row) => row.account === account).map(({ name, value }) => [name, JSON.parse(value)]);
    return { kind: 'settings', account, properties: { ...defaultServiceProperties, ...Object.fromEntries(own) } };
  });
}

/** Reads a table through a cursor, which needs no sort and no memory of the server. */
async function* readEntities(
  client: pg.Client,
  id: string,
  { hasOrdinals, by }: { readonly hasOrdinals: boolean; readonly by: 'key' | 'ordinal' },
): AsyncGenerator<StoredPart> {
  if (by === 'ordinal') await client.query(inOrder);
  // A cursor takes no parameters. The id is a number of the database.
  await client.query(
    `DECLARE c NO SCROLL CURSOR FOR SELECT ts, body, place FROM entities WHERE table_id = ${id}${by === 'ordinal' ? ' AND place IS NOT NULL ORDER BY place' : ' ORDER BY pk, rk'}`,
  );
  let count: number = fetched.first;
  for (;;) {
    const { rows } = await client.query(`FETCH ${count} FROM c`);
    if (rows.length === 0) break;
    const texts = rows.map(({ ts, body }) => textOf(body, ts));
    yield { kind: 'entities', texts, ...(hasOrdinals && { places: rows.map(({ place }) => encodeOrdinal(place)) }) };
    // As many as fit, if the next rows are as long as these.
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    const fitting = Math.floor((partMax.bytes * texts.length) / bytes);
    count = Math.max(1, Math.min(fetched.most, 4 * count, fitting));
  }
  await client.query('CLOSE c');
}
