import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UndoSummary } from '../../../src/state/contract.js';
import { dropSchema } from '../../support/postgres/drop-schema.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { type ChildServer, startChild } from '../../support/programs/child-server.js';
import { killLeftovers } from '../../support/programs/run-program.js';

const url = clusterDatabase ?? '';

/** An advisory lock that no server uses. */
const stopLock = 7_462_000;

/** The tables of the schema that calls write to. Those of single writes and of the sweeper are not among them. */
const written = ['snapshots', 'tables', 'settings', 'accounts', 'dropped'];

/** More statements than any call has. */
const mostStatements = 30;

/** What a statement does that a call does not survive. */
const harms = {
  fails: `RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'`,
  waits: `PERFORM pg_advisory_xact_lock(${stopLock})`,
};

/** A call that replaces or removes whole tables. */
const calls = [
  { what: 'reset all accounts', path: '/reset', body: {} },
  { what: 'reset all accounts/Table', path: '/reset', body: { table: 'Table' } },
  { what: 'restore base', path: '/snapshots/base/restore', body: {} },
  { what: 'reset all accounts to base', path: '/reset', body: { to: 'base' } },
] as const;

describe.skipIf(!clusterDatabase)('a call that replaces or removes whole tables', () => {
  const database = { url, schema: '' };
  let session: pg.Client;
  let other: ChildServer;
  beforeEach(async () => {
    database.schema = `exchange_${randomUUID().replaceAll('-', '')}`;
    session = new pg.Client({ connectionString: url });
    await session.connect();
    await session.query(`SET search_path = ${database.schema}`);
    other = await startChild({ database });
    for (const name of ['Table', 'Second']) await other.client().post('/Tables', { TableName: name });
    await write('Table', 'a');
    await write('Second', 'x');
    await ask(other, 'PUT', '/snapshots/base');
    await write('Table', 'b');
    await other.client().delete("/Tables('Second')");
    await session.query('CREATE SEQUENCE statements');
  });
  afterEach(async () => {
    await session.end();
    killLeftovers();
    await dropSchema(database);
  });

  const write = (table: string, RowKey: string) => other.client().post(`/${table}`, { PartitionKey: 'p', RowKey });
  const ask = async ({ url: base }: ChildServer, method: string, path: string, body: object = {}) => {
    const answer = await fetch(`${base}/_tabularium${path}`, {
      method,
      ...(method !== 'GET' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    }).catch(() => undefined);
    return answer && { ok: answer.ok, body: (await answer.json()) as Record<string, unknown> };
  };
  /** Returns everything as another server has it: the tables with the ETags of their entities, and what can be undone. */
  const look = async () => {
    const tables: Record<string, readonly unknown[]> = {};
    for (const name of ['Table', 'Second']) {
      const { status, body } = await other.client().get(`/${name}`);
      if (status === 200)
        tables[name] = JSON.parse(body).value.map((row: Record<string, unknown>) => row['odata.etag']);
    }
    const undo = (await ask(other, 'GET', '/undo'))?.body['undo'] as UndoSummary[];
    return { tables, undo };
  };
  /** Harms the statement with this number that a server makes from now on. */
  const harm = async (how: keyof typeof harms, at: number) => {
    await session.query('ALTER SEQUENCE statements RESTART');
    await session.query(`CREATE OR REPLACE FUNCTION harm() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('${database.schema}.statements') = ${at} THEN ${harms[how]}; END IF; RETURN NULL; END $$`);
    for (const table of written) {
      await session.query(`CREATE TRIGGER harm AFTER INSERT OR UPDATE OR DELETE ON ${table} EXECUTE FUNCTION harm()`);
    }
  };
  const repair = async () => {
    for (const table of written) await session.query(`DROP TRIGGER harm ON ${table}`);
  };
  /** Expects that nothing was changed or all, and gives back what was. Returns whether it was. */
  const expectWhole = async (before: Awaited<ReturnType<typeof look>>, what: string, label: string) => {
    const found = await look();
    if (!found.undo.some((one) => !one.what.startsWith('undo '))) {
      expect(found.tables, label).toEqual(before.tables);
      return false;
    }
    // An undo that another one has undone may be there, too.
    expect(
      found.undo.filter((one) => !one.what.startsWith('undo ')),
      label,
    ).toMatchObject([{ what }]);
    expect(found.tables, label).not.toEqual(before.tables);
    expect(await ask(other, 'POST', '/undo'), label).toMatchObject({ ok: true });
    expect((await look()).tables, label).toEqual(before.tables);
    return true;
  };

  it.each(calls)(
    'is made as a whole and can be undone, or not made, if one of its statements fails: $what',
    {
      timeout: 120_000,
    },
    async ({ what, path, body }) => {
      const one = await startChild({ database });
      const before = await look();
      let statements = 0;
      for (let isMade = false; !isMade; statements++) {
        expect(statements).toBeLessThan(mostStatements);
        await harm('fails', statements + 1);
        const answer = await ask(one, 'POST', path, body);
        await repair();
        isMade = await expectWhole(before, what, `statement ${statements + 1} failed`);
        expect(answer?.ok, `statement ${statements + 1}`).toBe(isMade);
      }
      expect(statements).toBeGreaterThan(2);
    },
  );

  it.each([calls[2]])(
    'is made as a whole, or not, if its server is killed during a statement: $what',
    {
      timeout: 300_000,
    },
    async ({ what, path, body }) => {
      const before = await look();
      for (let at = 1, isMade = false; !isMade; at++) {
        expect(at).toBeLessThan(mostStatements);
        const one = await startChild({ database });
        await session.query(`SELECT pg_advisory_lock(${stopLock})`);
        await harm('waits', at);
        let isOver = false;
        const answered = ask(one, 'POST', path, body).finally(() => {
          isOver = true;
        });
        const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${stopLock} AND NOT granted`;
        while (!isOver && (await session.query(waiting)).rowCount === 0);
        await one.stop('SIGKILL');
        await answered;
        await session.query(`SELECT pg_advisory_unlock(${stopLock})`);
        await repair();
        isMade = await expectWhole(before, what, `killed in statement ${at}`);
      }
    },
  );
});
