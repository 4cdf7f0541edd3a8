import type { Change } from '../../../entity/stored/change.js';
import { etagOf, timestampOf } from '../../../entity/stored/entity.js';
import type { JudgedChange } from '../../judge-changes.js';
import type { EntityReversal } from '../../snapshots.js';
import { keyArray, numberArray, textArray } from '../connection/array-parameters.js';
import { bodyOf, ticksOfEtag, timeOf } from '../schema/stamps.js';
import { clock } from '../schema/statements.js';
import type { RunStatement } from '../write/transactions.js';

/** A table whose entities are reverted, and an account that has it as it was. */
export interface RevertedNames {
  readonly account: string;
  /** The key of the table's name. */
  readonly name: string;
  readonly before: string;
}

/** What a reversal of entities did. */
export interface EntitiesReverted {
  /** The table, in the letter case of its creation. */
  readonly table: string;
  /** What was changed, for the listeners of commits. */
  readonly changes: readonly Change[];
  readonly judged: readonly JudgedChange[];
  /** The positions of those that others have written since. */
  readonly left: readonly number[];
}

/** What an entity without a stamp has, and one that is missing. */
const missing = '0';

/** The first statement: finds the table, keeps it from being dropped, and reads the clock. */
const findTable = `SELECT t.id, t.name, t.row_order IS NOT NULL AS ordered, ${clock}::text AS at,
   (SELECT id FROM tables WHERE account = $3 AND name_key = $2) AS before
 FROM tables t WHERE t.account = $1 AND t.name_key = $2 FOR KEY SHARE OF t`;

/**
 * Writes the entities that are as expected. Parameters: table; keys, expected stamps (0: none), stamps and bodies (null:
 * delete); the table with the ordinals, whether entities have ordinals. Answers the positions of those that it has written.
 *
 * The table is a column, so that an index finds each row, whatever the statistics are. `IS TRUE` keeps the keys that were written
 * in a table of hashes: a join would compare each of them with each entity.
 */
export const writeEntities = `WITH q AS MATERIALIZED (
   SELECT q.*, $1::bigint AS id, CASE WHEN $8::boolean THEN coalesce(b.place, nextval('places')) END AS place
   FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::text[]) WITH ORDINALITY q(pk, rk, expect, ts, body, n)
   LEFT JOIN LATERAL (SELECT place FROM entities WHERE table_id = $7::bigint AND pk = q.pk AND rk = q.rk LIMIT 1) b ON true),
 i AS (INSERT INTO entities (table_id, pk, rk, ts, body, place)
   SELECT id, pk, rk, ts, body, place FROM q WHERE expect = 0 ORDER BY n ON CONFLICT DO NOTHING RETURNING pk, rk),
 u AS (UPDATE entities e SET ts = q.ts, body = q.body, place = q.place FROM q WHERE q.expect > 0 AND q.body IS NOT NULL
   AND e.table_id = q.id AND e.pk = q.pk AND e.rk = q.rk AND e.ts = q.expect RETURNING e.pk, e.rk),
 d AS (DELETE FROM entities e USING q WHERE q.expect > 0 AND q.body IS NULL
   AND e.table_id = q.id AND e.pk = q.pk AND e.rk = q.rk AND e.ts = q.expect RETURNING e.pk, e.rk)
 SELECT q.n::int FROM q
 WHERE ((pk, rk) IN (SELECT * FROM i UNION ALL SELECT * FROM u UNION ALL SELECT * FROM d)) IS TRUE`;

/** Reads the stamps of entities. Parameters: table, keys. Answers 0 for one that is missing. */
const readStamps = `SELECT q.n::int, coalesce(e.ts, 0)::text AS ts
 FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY q(pk, rk, n)
 LEFT JOIN LATERAL (SELECT ts FROM entities WHERE table_id = $1::bigint AND pk = q.pk AND rk = q.rk LIMIT 1) e ON true`;

/**
 * Gives entities back what they were, as `KeptStates.revertEntities`. Returns undefined if the table is missing. It needs
 * a transaction that sees what others commit meanwhile.
 */
export async function revertEntities(
  run: RunStatement,
  { account, name, before }: RevertedNames,
  reversals: readonly EntityReversal[],
): Promise<EntitiesReverted | undefined> {
  const [table] = await run<FoundTable>(findTable, [account, name, before]);
  if (!table) return undefined;
  const keys = [
    keyArray(reversals.map(({ key }) => key.partitionKey)),
    keyArray(reversals.map(({ key }) => key.rowKey)),
  ];
  const wanted = reversals.map(({ text }) => ticksOf(text));
  const written = await run<Row>(writeEntities, [
    table.id,
    ...keys,
    numberArray(reversals.map(({ present }) => ticksOf(present))),
    numberArray(wanted),
    textArray(reversals.map(({ text }) => text && bodyOf(text))),
    table.before,
    table.ordered,
  ]);
  const isWritten = new Set(written.map(({ n }) => n - 1));
  const left: number[] = [];
  if (isWritten.size < reversals.length) {
    for (const { n, ts } of await run<Row & { readonly ts: string }>(readStamps, [table.id, ...keys])) {
      // Each stands for one content of the entity.
      if (ts !== wanted[n - 1]) left.push(n - 1);
    }
  }
  const done = reversals.filter((_, at) => isWritten.has(at));
  return {
    table: table.name,
    changes: done.map(({ key, text }) =>
      text === null ? { kind: 'delete', key, ifMatch: '*' } : { kind: 'insert', key, properties: [] },
    ),
    judged: done.map(({ text, present }) => ({
      key: '',
      value: text,
      previous: present,
      timestamp: text === null ? timeOf(table.at) : timestampOf(text),
    })),
    left,
  };
}

interface FoundTable {
  readonly id: string;
  readonly name: string;
  readonly ordered: boolean;
  readonly at: string;
  readonly before: string | null;
}

/** A position among the reversals, beginning with 1. */
interface Row {
  readonly n: number;
}

/** Returns the stamp of an entity. */
function ticksOf(text: string | null): string {
  return (text !== null && ticksOfEtag(etagOf(text))) || missing;
}
