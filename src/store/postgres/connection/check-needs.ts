import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf } from './database-address.js';
import { isOpen } from './failures.js';

/** Two sessions, and the name of a schema that only the test uses. */
interface Trial {
  readonly one: pg.Client;
  readonly other: pg.Client;
  readonly schema: string;
}

/** Something that statements rely on, and a test of it. */
interface Need {
  readonly name: string;
  /** Whether the tests that follow need it. */
  readonly isBasic?: true;
  /** Returns whether the database has it. An error of the database means that it does not. */
  test(trial: Trial): Promise<boolean>;
}

const created = (schema: string) => `CREATE SCHEMA ${schema};
CREATE TABLE ${schema}.rows (id bigint GENERATED ALWAYS AS IDENTITY UNIQUE, key bytea PRIMARY KEY, value text)
  WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
CREATE SEQUENCE ${schema}.numbers;
INSERT INTO ${schema}.rows (key, value) VALUES ('\\x00', 'first')`;

const needs: readonly Need[] = [
  {
    name: 'changes of the schema that a transaction undoes',
    isBasic: true,
    async test({ one, schema }) {
      await one.query('BEGIN');
      await one.query(created(schema));
      await one.query('ROLLBACK');
      const { rowCount } = await one.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
      return rowCount === 0;
    },
  },
  {
    name: 'tables with identity columns, and sequences',
    isBasic: true,
    async test({ one, schema }) {
      await one.query(created(schema));
      const { rows } = await one.query(`SELECT nextval('${schema}.numbers') < nextval('${schema}.numbers') AS grows`);
      await one.query(`UPDATE ${schema}.rows SET id = DEFAULT`);
      return rows[0].grows;
    },
  },
  {
    name: 'advisory locks that keep others waiting',
    async test({ one, other }) {
      const key = Math.floor(Math.random() * 2 ** 31);
      await one.query('BEGIN');
      await one.query('SELECT pg_advisory_xact_lock($1)', [key]);
      const { rows } = await other.query('SELECT pg_try_advisory_xact_lock($1) AS is_free', [key]);
      await one.query('ROLLBACK');
      return rows[0].is_free === false;
    },
  },
  {
    name: 'row locks that can be skipped',
    async test({ one, other, schema }) {
      await one.query('BEGIN');
      await one.query(`SELECT FROM ${schema}.rows FOR KEY SHARE`);
      const { rowCount } = await other.query(`SELECT FROM ${schema}.rows FOR UPDATE SKIP LOCKED`);
      await one.query('ROLLBACK');
      return rowCount === 0;
    },
  },
  {
    name: 'table locks',
    async test({ one, schema }) {
      await one.query('BEGIN');
      await one.query(`LOCK TABLE ${schema}.rows IN ROW EXCLUSIVE MODE`);
      await one.query(`LOCK TABLE ${schema}.rows IN SHARE ROW EXCLUSIVE MODE`);
      await one.query('ROLLBACK');
      return true;
    },
  },
  {
    name: 'statements that see what was committed before them (read committed)',
    async test({ one, other, schema }) {
      await one.query('BEGIN');
      await one.query(`SELECT value FROM ${schema}.rows`);
      await other.query(`UPDATE ${schema}.rows SET value = 'second'`);
      const { rows } = await one.query(`SELECT value FROM ${schema}.rows`);
      await one.query('ROLLBACK');
      return rows[0].value === 'second';
    },
  },
  {
    name: 'statements of several changes that are made as a whole or not at all',
    async test({ one, schema }) {
      const changes = (proof: string) => `WITH i AS (INSERT INTO ${schema}.rows (key) VALUES ('\\x01') RETURNING 1),
 u AS (UPDATE ${schema}.rows SET value = 'third' WHERE key = '\\x00' RETURNING 1)
 SELECT 1 / ((SELECT count(*) FROM i) + (SELECT count(*) FROM u) = ${proof})::int`;
      const isRefused = await one.query(changes('3')).then(
        () => false,
        () => true,
      );
      const { rowCount } = await one.query(`SELECT FROM ${schema}.rows WHERE key = '\\x01' OR value = 'third'`);
      await one.query(changes('2'));
      return isRefused && rowCount === 0;
    },
  },
];

/**
 * Tests what statements rely on, in a schema of its own that is dropped afterwards.
 *
 * Errors: StoreError with what is missing; the database's own if a connection is lost.
 */
export async function checkNeeds(
  one: pg.Client,
  other: pg.Client,
  product: string,
  address: DatabaseAddress,
): Promise<void> {
  const schema = `tabularium_trial_${randomUUID().replaceAll('-', '')}`;
  const missing: string[] = [];
  try {
    for (const { name, isBasic, test } of needs) {
      const why = await test({ one, other, schema }).then(
        (isMet) => (isMet ? undefined : ''),
        (error: unknown) => {
          if (!(error instanceof Error) || isOpen(error)) throw error;
          return ` (${error.message})`;
        },
      );
      if (why === undefined) continue;
      missing.push(`${name}${why}`);
      await one.query('ROLLBACK');
      // The tests that follow need its tables.
      if (isBasic) break;
    }
  } finally {
    await one.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`).catch(() => {});
  }
  if (missing.length === 0) return;
  throw new StoreError(
    'other-format',
    `${product} cannot be used for ${nameOf(address)}: it lacks ${missing.join(', ')}.`,
    'Turn that on in the database, or use PostgreSQL.',
  );
}
