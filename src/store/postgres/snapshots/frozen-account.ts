import { storageTraits } from '../../../protocol/service-traits.js';
import { type AccountRecord, type AccountServices, checkService } from '../../account-services.js';
import { numberArray, textArray } from '../connection/array-parameters.js';
import { clock } from '../schema/statements.js';
import type { RunStatement } from '../write/transactions.js';

/** A table as of one moment. */
export interface FrozenTable {
  /** The id of its rows. */
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** Ticks of 100 ns since 1601. */
  readonly created: string;
  /** Its stored access policies: JSON. */
  readonly policies: string;
  /** The order of its rows; null for key order. */
  readonly order: string | null;
}

/** A setting of an account. */
export interface Setting {
  readonly name: string;
  /** JSON. */
  readonly value: string;
}

/** An account as of one moment. */
export interface FrozenAccount {
  readonly name: string;
  /** Its service. Absent: a storage account, or one without data. */
  readonly record?: Omit<AccountRecord, 'account'>;
  readonly settings: readonly Setting[];
  readonly tables: readonly FrozenTable[];
}

/** Reads the current state of accounts. Requests may still change the rows of their tables. */
export async function readAccounts(run: RunStatement, names: readonly string[]): Promise<readonly FrozenAccount[]> {
  const values = [textArray(names)];
  const tables = await run<FrozenTable & { readonly account: string }>(
    'SELECT account, id, name_key AS key, name, created, policies, row_order AS order FROM tables WHERE account = ANY ($1::text[])',
    values,
  );
  const settings = await run<Setting & { readonly account: string }>(
    'SELECT account, name, value FROM settings WHERE account = ANY ($1::text[])',
    values,
  );
  const records = await run<AccountRecord>(
    'SELECT account, service, exact_names AS "exactNames" FROM accounts WHERE account = ANY ($1::text[])',
    values,
  );
  const of =
    (name: string) =>
    ({ account }: { readonly account: string }) =>
      account === name;
  return names.map((name) => ({
    name,
    ...records.filter(of(name)).map(({ account: _, ...record }) => ({ record }))[0],
    settings: settings.filter(of(name)).map(({ account: _, ...one }) => one),
    tables: tables.filter(of(name)).map(({ account: _, ...one }) => one),
  }));
}

/** Checks that an account may get the state of another one. Errors: StoreError `other-service`. */
export function checkFrozenService(services: AccountServices, { record, tables }: FrozenAccount, to: string): void {
  const service = record?.service ?? (tables.length > 0 ? storageTraits.service : undefined);
  checkService(to, service, services.traitsOf(to).service);
}

/** Copies the rows of accounts, in linear time. Returns the accounts with the ids of the copies, and their last stamp, in ticks. */
export async function copyRows(
  run: RunStatement,
  accounts: readonly FrozenAccount[],
): Promise<{ readonly copies: readonly FrozenAccount[]; readonly last: string }> {
  const ids = accounts.flatMap(({ tables }) => tables.map(({ id }) => id));
  const made = await run<{ readonly id: string }>(
    `SELECT nextval(pg_get_serial_sequence('tables', 'id')) AS id FROM generate_series(1, $1::int)`,
    [ids.length],
  );
  const [copied] = await run<{ readonly last: string }>(
    `WITH c AS (INSERT INTO entities (table_id, pk, rk, ts, body, place)
       SELECT q.copy, e.pk, e.rk, e.ts, e.body, e.place
       FROM unnest($1::bigint[], $2::bigint[]) q(id, copy) JOIN entities e ON e.table_id = q.id RETURNING ts)
     SELECT coalesce(max(ts), 0) AS last FROM c`,
    [numberArray(ids), numberArray(made.map(({ id }) => id))],
  );
  let at = 0;
  const copies = accounts.map(({ tables, ...account }) => ({
    ...account,
    tables: tables.map((table) => ({ ...table, id: made[at++]?.id ?? '' })),
  }));
  return { copies, last: copied?.last ?? '0' };
}

/** Returns an account with the wanted tables. */
export function withTables(account: FrozenAccount, isWanted: (name: string) => boolean): FrozenAccount {
  return { ...account, tables: account.tables.filter(({ name }) => isWanted(name)) };
}

/** Writes accounts whose rows exist. Their tables and settings must not exist. */
export async function writeAccounts(run: RunStatement, accounts: readonly FrozenAccount[]): Promise<void> {
  const tables = accounts.flatMap(({ name: account, tables: own }) => own.map((table) => ({ account, ...table })));
  await run(
    `INSERT INTO tables (account, name_key, name, id, created, policies, row_order) OVERRIDING SYSTEM VALUE
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])`,
    [
      textArray(tables.map(({ account }) => account)),
      textArray(tables.map(({ key }) => key)),
      textArray(tables.map(({ name }) => name)),
      numberArray(tables.map(({ id }) => id)),
      numberArray(tables.map(({ created }) => created)),
      textArray(tables.map(({ policies }) => policies)),
      textArray(tables.map(({ order }) => order)),
    ],
  );
  for (const { name: account, record } of accounts) {
    if (!record) continue;
    await run(
      'INSERT INTO accounts (account, service, exact_names) VALUES ($1, $2, $3) ON CONFLICT (account) DO NOTHING',
      [account, record.service, record.exactNames],
    );
  }
  await writeSettings(run, accounts);
}

/** Writes settings of accounts, which must not exist. */
export async function writeSettings(
  run: RunStatement,
  accounts: readonly Pick<FrozenAccount, 'name' | 'settings'>[],
): Promise<void> {
  const settings = accounts.flatMap(({ name: account, settings: own }) => own.map((one) => ({ account, ...one })));
  await run('INSERT INTO settings (account, name, value) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])', [
    textArray(settings.map(({ account }) => account)),
    textArray(settings.map(({ name }) => name)),
    textArray(settings.map(({ value }) => value)),
  ]);
}

/** Keeps others from creating and dropping tables until the end of the transaction. Writes of entities continue. */
export async function lockDirectory(run: RunStatement): Promise<void> {
  await run('LOCK TABLE tables IN SHARE ROW EXCLUSIVE MODE', []);
}

/** Keeps others from writing entities of tables until the end of the transaction. `ids` are table ids, as a parameter. */
export async function lockTables(run: RunStatement, ids: string): Promise<void> {
  // Writers lock tables in the same order.
  await run('SELECT id FROM tables WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE', [ids]);
}

/** Removes and returns the settings of accounts. */
export async function deleteSettings(
  run: RunStatement,
  accounts: readonly string[],
): Promise<readonly (Setting & { readonly account: string })[]> {
  const text = 'DELETE FROM settings WHERE account = ANY ($1::text[]) RETURNING account, name, value';
  return run(text, [textArray(accounts)]);
}

/** Deletes tables, and leaves their rows to the sweeper. `ids` are the ids of locked tables, as a parameter. */
export async function deleteTables(run: RunStatement, ids: string): Promise<void> {
  await run('DELETE FROM tables WHERE id = ANY ($1::bigint[])', [ids]);
  await dropRows(run, ids);
}

/** Leaves unreachable rows to the sweeper. `ids` are table ids, as a parameter. */
export async function dropRows(run: RunStatement, ids: string): Promise<void> {
  await run(`INSERT INTO dropped (table_id, at) SELECT id, ${clock} FROM unnest($1::bigint[]) q(id)`, [ids]);
}
