/** The version of the schema, which the table `format` has. */
export const schemaVersion = 1;

/**
 * Makes the tables of the schema. Once a version is released, it changes by steps: servers of two versions run side by side during an upgrade,
 * so a step must leave the last version working: add first, use in the next version, remove in the one after.
 *
 * - `tables`: one row per table. Only an undo uses an `id` again, for the same rows, so the rows of a dropped table can be removed later.
 * - `entities`: one row per entity of all tables. `ts` is Timestamp and ETag, in 100 ns ticks since 1601; `body` is the
 *   entity's text without them.
 * - `dropped`: tables whose rows are still to be removed.
 * - `settings`: the service properties of an account, one row for each that was set.
 * - `writers`: the receipt of each connection that writes: the number of its last write, and what it answered.
 * - `accounts`: the accounts that are not storage accounts, with their services.
 * - `entities.place` and the sequence `places`: the ordinals of rows in tables with `row_order`. It is null in other tables,
 *   whose rows are in none of the two indexes.
 * - `snapshots`: accounts as they were: JSON, with the ids of the copies of their rows. `ids` has all of these ids, and those of
 *   tables that a call then drops: the rows of such a dropped table stay as long as they are there. `kind` is `named` for those of users.
 *   Others are kept for what they are named for, with `note`, a text; the sequence `undos` numbers the calls that can be undone.
 * - `branches`: throw-away accounts. They expire by the database's clock, in milliseconds since 1970. One that ended stays for a day, so that every server finds out.
 *
 * Texts are compared in Node or by equality only, so no collation matters.
 */
export const schema = `CREATE TABLE tables (
  account text NOT NULL,
  name_key text NOT NULL,
  name text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  created bigint NOT NULL,
  policies text NOT NULL,
  row_order text,
  PRIMARY KEY (account, name_key));
CREATE TABLE entities (
  table_id bigint NOT NULL,
  pk bytea NOT NULL,
  rk bytea NOT NULL,
  ts bigint NOT NULL,
  body text NOT NULL,
  place bigint,
  PRIMARY KEY (table_id, pk, rk))
  WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
CREATE SEQUENCE places;
CREATE INDEX entities_by_place ON entities (table_id, place) WHERE place IS NOT NULL;
CREATE INDEX entities_by_partition_place ON entities (table_id, pk, place) WHERE place IS NOT NULL;
CREATE TABLE dropped (
  table_id bigint PRIMARY KEY,
  at bigint NOT NULL);
CREATE TABLE settings (
  account text NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (account, name));
CREATE TABLE writers (
  id bigint PRIMARY KEY,
  seq bigint NOT NULL,
  answer text,
  seen timestamptz NOT NULL)
  WITH (fillfactor = 50);
CREATE TABLE accounts (
  account text PRIMARY KEY,
  service text NOT NULL,
  exact_names boolean NOT NULL);
CREATE TABLE snapshots (
  kind text NOT NULL,
  name text NOT NULL,
  at bigint NOT NULL,
  accounts text NOT NULL,
  ids bigint[] NOT NULL,
  note text,
  PRIMARY KEY (kind, name));
CREATE SEQUENCE undos;
CREATE TABLE branches (
  account text PRIMARY KEY,
  source text NOT NULL,
  snapshot text,
  key text NOT NULL,
  expires bigint NOT NULL,
  ended timestamptz)`;
