import type pg from 'pg';
import { type EntityText, etagOf } from '../../../entity/stored/entity.js';
import { keyOf } from '../../../entity/stored/write-row.js';
import { lowerAscii } from '../../../protocol/names.js';
import type { StoredPart, StoreLoader } from '../../copy/stored-parts.js';
import { filetimeOf } from '../../encoding/filetime.js';
import { StoreError } from '../../store-error.js';
import type { DatabasePlace } from '../../store-options.js';
import { keyArray, numberArray, textArray } from '../connection/array-parameters.js';
import { type CopyConnection, openCopyConnection } from '../connection/copy-connection.js';
import { type DatabaseAddress, nameOf } from '../connection/database-address.js';
import { capital } from '../connection/explain-open-failure.js';
import { decodeOrdinal } from '../read/ordinals.js';
import { createSchema, hasUnfinishedCopy } from '../schema/create-schema.js';
import { isStorableName } from '../schema/keys.js';
import { bodyOf, ticksOfEtag, timeOf } from '../schema/stamps.js';
import { clock } from '../schema/statements.js';
import { readSchema } from './read-database.js';

/** The advisory lock of copies, with the schema as its second key. Any number that no other program uses. */
const copyLock = 746_262;

/** How far the clock of the database may be back. Its time is waited for. Unit: ticks of 100 ns. */
const clockBackMax = 10n * 10_000_000n;

/**
 * Opens a schema for loading. Creates it if it is missing, and empties it if a copy to it was interrupted. The table
 * `unfinished_copy` keeps servers from opening it until `release`.
 *
 * Errors: StoreError when the schema has data, is in use or cannot be written, with what to do; the reason of the signal.
 */
export async function openDatabaseLoader(
  address: DatabasePlace,
  { signal }: { readonly signal?: AbortSignal },
): Promise<StoreLoader> {
  signal?.throwIfAborted();
  const connection = await openCopyConnection(address, async (client) => {
    await lockForCopy(client, address);
    await createSchema(client, address, () => prepareSchema(client, address));
    // The last commit waits for the disk and for the standby, and all others are there before it.
    await client.query('SET synchronous_commit = off');
  });
  return new DatabaseLoader(connection, address);
}

async function lockForCopy(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked', [
    copyLock,
    address.schema,
  ]);
  if (rows[0].locked === true) return;
  throw new StoreError('in-use', `Another copy to ${nameOf(address)} is under way.`, 'Wait for its end, or stop it.');
}

/** Empties the schema after an interrupted copy, and marks it. Errors: StoreError if it has data. */
async function prepareSchema(client: pg.Client, address: DatabaseAddress): Promise<void> {
  if (await hasUnfinishedCopy(client)) {
    await client.query('TRUNCATE accounts, tables, entities, dropped, settings, writers, snapshots, branches');
    return;
  }
  const { rows } = await client.query(
    'SELECT EXISTS (SELECT FROM tables) OR EXISTS (SELECT FROM settings) OR EXISTS (SELECT FROM snapshots) AS used, EXISTS (SELECT FROM entities) AS kept',
  );
  if (rows[0].used === true || rows[0].kept === true) {
    const found = rows[0].used === true ? 'has data' : 'still has rows of dropped tables';
    const remedy = 'Pass an empty database to --to, or another schema to --toSchema.';
    throw new StoreError('not-empty', `${capital(nameOf(address))} ${found}.`, remedy);
  }
  await client.query('CREATE TABLE unfinished_copy (since timestamptz NOT NULL DEFAULT now())');
}

/** Loads a schema that is empty and marked. */
class DatabaseLoader implements StoreLoader {
  readonly #connection: CopyConnection;
  readonly #address: DatabaseAddress;
  /** The last Timestamp so far, in ticks. */
  #last = 0n;
  /** The id of the last table. */
  #id = '';
  /** The last ordinal so far; 0 for none. */
  #lastOrdinal = 0n;
  /** The accounts whose table names are exact. */
  readonly #exact = new Set<string>();

  constructor(connection: CopyConnection, address: DatabaseAddress) {
    this.#connection = connection;
    this.#address = address;
  }

  async write(part: StoredPart): Promise<void> {
    switch (part.kind) {
      case 'clock':
        this.#last = filetimeOf(part.last);
        return this.#checkClock();
      case 'account': {
        const { account, service, exactNames } = part;
        if (exactNames) this.#exact.add(account);
        await this.#run('INSERT INTO accounts (account, service, exact_names) VALUES ($1, $2, $3)', [
          account,
          service,
          exactNames,
        ]);
        return;
      }
      case 'settings': {
        const { account, properties } = part;
        const values = Object.values(properties).map((value) => JSON.stringify(value));
        await this.#run(
          'INSERT INTO settings (account, name, value) SELECT $1, q.name, q.value FROM unnest($2::text[], $3::text[]) q(name, value)',
          [account, Object.keys(properties), values],
        );
        return;
      }
      case 'table': {
        const { account, name, created, policies, order = null } = part;
        if (!isStorableName(name)) throw this.#cannotHold(name);
        const { rows } = await this.#run(
          'INSERT INTO tables (account, name_key, name, created, policies, row_order) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id',
          [
            account,
            this.#nameKey(account, name),
            name,
            String(BigInt(`0x${created}`)),
            JSON.stringify(policies),
            order,
          ],
        );
        this.#id = rows[0].id;
        return;
      }
      case 'entities':
        return this.#writeEntities(part.texts, part.places);
    }
  }

  async finish(): Promise<void> {
    await this.#checkClock();
    if (this.#lastOrdinal > 0n) await this.#run("SELECT setval('places', $1)", [String(this.#lastOrdinal)]);
    // The database's clock stamps the next writes.
    for (;;) {
      const back = Number(this.#last - (await this.#readClock())) / 10_000;
      if (back < 0) return;
      await new Promise((resolve) => setTimeout(resolve, back + 1));
    }
  }

  async *read(): AsyncGenerator<StoredPart> {
    await this.#run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      yield* readSchema(this.#connection.client);
    } catch (error) {
      throw this.#connection.explain(error);
    } finally {
      await this.#connection.client.query('ROLLBACK').catch(() => {});
    }
  }

  async release(): Promise<void> {
    await this.#run('RESET synchronous_commit');
    await this.#run('DROP TABLE unfinished_copy');
    await this.close();
  }

  close(): Promise<void> {
    return this.#connection.end();
  }

  #nameKey(account: string, name: string): string {
    return this.#exact.has(account) ? name : lowerAscii(name);
  }

  async #writeEntities(texts: readonly EntityText[], ordinals: readonly string[] = []): Promise<void> {
    const decoded = ordinals.map(decodeOrdinal);
    for (const ordinal of decoded) if (BigInt(ordinal) > this.#lastOrdinal) this.#lastOrdinal = BigInt(ordinal);
    const ticks = texts.map((text) => ticksOfEtag(etagOf(text)) ?? '');
    for (const one of ticks) if (BigInt(one) > this.#last) this.#last = BigInt(one);
    await this.#run(
      `INSERT INTO entities (table_id, pk, rk, ts, body, place) SELECT $1, q.pk, q.rk, q.ts, q.body, q.place
       FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::text[], $6::bigint[]) q(pk, rk, ts, body, place)`,
      [
        this.#id,
        keyArray(texts.map((text) => keyOf(text, 'PartitionKey'))),
        keyArray(texts.map((text) => keyOf(text, 'RowKey'))),
        numberArray(ticks),
        textArray(texts.map(bodyOf)),
        numberArray(decoded),
      ],
    );
  }

  /** Checks the clock of the database. Errors: StoreError if its next stamps would be earlier than copied ones. */
  async #checkClock(): Promise<void> {
    const now = await this.#readClock();
    if (this.#last - now <= clockBackMax) return;
    throw new StoreError(
      'no-access',
      `The last Timestamp of the source is ${timeOf(String(this.#last))}, and the clock of ${nameOf(this.#address)} is at ${timeOf(String(now))}.`,
      'Set the clock of the database, or copy when it has passed that time. Otherwise new Timestamps would be earlier than copied ones.',
    );
  }

  async #readClock(): Promise<bigint> {
    return BigInt((await this.#run(`SELECT ${clock}::text AS ticks`)).rows[0].ticks);
  }

  async #run(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    try {
      return await this.#connection.client.query(text, values);
    } catch (error) {
      throw this.#connection.explain(error);
    }
  }

  #cannotHold(name: string): StoreError {
    return new StoreError(
      'no-access',
      `A database cannot hold the table ${JSON.stringify(name)}, because of the characters in its name.`,
      'Delete the table, and run the command again.',
    );
  }
}
