import { remember } from '../../../remembered.js';
import { asciiArray, keyArray, numberArray, textArray } from '../connection/array-parameters.js';
import { clock, type Statement, withReceipt } from '../schema/statements.js';
import type { GroupJudgement, KnownState } from './judge-group.js';

/** The kinds of writes in a group, because a part of a statement without rows costs as much as several rows. */
interface WrittenKinds {
  readonly inserts: boolean;
  readonly updates: boolean;
  readonly deletes: boolean;
  /** Whether entities get ordinals, for tables in insertion order. */
  readonly ordinals: boolean;
  /** Whether stamps may be ahead of the clock when the rows are written. */
  readonly waits: boolean;
}

/** The parts of a statement that write rows. Each returns its rows, for the count. */
const parts = {
  inserts: ({
    ordinals,
  }: WrittenKinds) => `i AS (INSERT INTO entities (table_id, pk, rk, ts, body${ordinals ? ', place' : ''})
   SELECT id, pk, rk, ts, body${ordinals ? ', place' : ''} FROM c WHERE expect = 0 RETURNING 1)`,
  updates: ({ ordinals }: WrittenKinds) => `u AS (UPDATE entities e
   SET ts = c.ts, body = c.body${ordinals ? ', place = coalesce(c.place, e.place)' : ''}
   FROM c WHERE c.expect > 0 AND c.body IS NOT NULL
   AND e.table_id = c.id AND e.pk = c.pk AND e.rk = c.rk AND e.ts = c.expect RETURNING 1)`,
  deletes: () => `d AS (DELETE FROM entities e USING c WHERE c.expect > 0 AND c.body IS NULL
   AND e.table_id = c.id AND e.pk = c.pk AND e.rk = c.rk AND e.ts = c.expect RETURNING 1)`,
};

/** The parameters of the changes, as columns. */
const changeArrays = '$5::bigint[], $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[], $10::text[]';

/** The last stamp of the group: the clock plus the time span of all stamps. */
const lastStamp = `k AS MATERIALIZED (SELECT greatest(${clock} + $11::bigint, $1::bigint) AS last)`;

/**
 * Waits until the clock has passed the last stamp, so that later work gets later stamps, unless the clock was set back. Omitted if each
 * stamp has a row: writing a row takes longer than the 1 µs of its stamp.
 */
const pastLastStamp = `(SELECT CASE WHEN ahead BETWEEN 0 AND $11::bigint THEN pg_sleep((ahead + 10) / 10000000.0) END
   FROM (SELECT k.last - ${clock} AS ahead FROM k) w)`;

/** The changes with their stamps. Ordinals are assigned in the order of `born`; rows are written in the caller's order. */
const changes = `c AS MATERIALIZED (SELECT q.id, q.pk, q.rk, q.expect, k.last + q.offs AS ts, q.body
   FROM k, unnest(${changeArrays}) q(id, pk, rk, expect, offs, body))`;
const ordinalChanges = `p AS MATERIALIZED (SELECT q.*, CASE WHEN q.born > 0 THEN nextval('places') END AS place FROM (
   SELECT * FROM unnest(${changeArrays}, $12::bigint[]) WITH ORDINALITY q(id, pk, rk, expect, offs, body, born, n)
   ORDER BY born) q),
 c AS MATERIALIZED (SELECT p.id, p.pk, p.rk, p.expect, k.last + p.offs AS ts, p.body, p.place FROM k, p ORDER BY p.n)`;

/** The generated statements, by name. (Our choice: there are fewer kinds.) */
const statements = remember<Statement>(256);

/**
 * Returns the statement that writes the entities of a group, if every table still exists and every entity has its expected stamp. Otherwise
 * it has no effect: a duplicate row violates the primary key, other differences the proof.
 *
 * Parameters: the lowest last stamp; accounts, names, ids of the tables; tables, keys, expected stamps (0: none), offsets from the last
 * stamp, and bodies (null: delete) of the entities; the time span of all stamps. With ordinals, for each entity its number among those that
 * get ordinals, 0 for none. Returns the last stamp. Locks the tables against drops; the caller sorts tables and entities, so that rivals
 * lock in one order.
 */
function statementFor(kinds: WrittenKinds): Statement {
  const wanted = (['inserts', 'updates', 'deletes'] as const).filter((kind) => kinds[kind]);
  const name = `write-${wanted.join('-')}${kinds.ordinals ? '-with-ordinals' : ''}${kinds.waits ? '-and-wait' : ''}`;
  const known = statements.get(name);
  if (known) return known;
  const counts = wanted.map((kind) => `(SELECT count(*) FROM ${kind[0]})`).join(' + ');
  const statement = withReceipt(
    name,
    kinds.ordinals ? 12 : 11,
    `t AS MATERIALIZED (SELECT t.id FROM unnest($2::text[], $3::text[], $4::bigint[]) q(account, name, id)
   JOIN tables t ON t.account = q.account AND t.name_key = q.name AND t.id = q.id FOR KEY SHARE OF t),
 ${[lastStamp, kinds.ordinals ? ordinalChanges : changes, ...wanted.map((kind) => parts[kind](kinds))].join(',\n ')}`,
    'SELECT last::text FROM k',
    `(SELECT count(*) FROM t) = cardinality($2::text[]) AND ${counts} = cardinality($5::bigint[])`,
    kinds.waits ? pastLastStamp : undefined,
  );
  statements.set(name, statement);
  return statement;
}

/** The stamps of a group. Unit: 100 ns. */
interface GroupStamps {
  readonly lowest: bigint;
  /** Added to the offset of each entity, which then counts from the last stamp. */
  readonly shift: number;
  /** The time span of all stamps of the group. */
  readonly span: number;
}

/** Returns the statement that writes a judged group, and its parameters. `ids` are the table ids, by key. */
export function writeEntities(
  { writes, stamps }: GroupJudgement,
  ids: KnownState['ids'],
  { lowest, shift, span }: GroupStamps,
): { readonly statement: Statement; readonly values: unknown[] } {
  const waits = stamps > writes.length;
  const kinds = { inserts: false, updates: false, deletes: false, ordinals: false, waits };
  for (const { expect, result, born } of writes) {
    if (expect === '0') kinds.inserts = true;
    else if (result) kinds.updates = true;
    else kinds.deletes = true;
    if (born !== undefined) kinds.ordinals = true;
  }
  const tables = [...new Set(writes.map(({ table }) => table))].map((table) => ({ table, id: ids.get(table) ?? '' }));
  tables.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
  const values: unknown[] = [
    String(lowest),
    textArray(tables.map(({ table }) => table.slice(0, table.indexOf('/')))),
    textArray(tables.map(({ table }) => table.slice(table.indexOf('/') + 1))),
    numberArray(tables.map(({ id }) => id)),
    numberArray(writes.map(({ table }) => ids.get(table) ?? '')),
    keyArray(writes.map(({ key }) => key.partitionKey)),
    keyArray(writes.map(({ key }) => key.rowKey)),
    numberArray(writes.map(({ expect }) => expect)),
    numberArray(writes.map(({ result }) => (result?.offset ?? 0) + shift)),
    asciiArray(writes.map(({ result }) => result?.body ?? null)),
    span,
  ];
  if (kinds.ordinals) values.push(numberArray(writes.map(({ born = 0 }) => born)));
  return { statement: statementFor(kinds), values };
}
