import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkNeeds } from '../../../src/store/postgres/connection/check-needs.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { openSession } from '../../support/programs/open-session.js';

const address = { url: clusterDatabase ?? '', schema: 'public' };

describe.skipIf(!clusterDatabase)('the test of what servers rely on', () => {
  let sessions: pg.Client[];
  beforeAll(async () => {
    sessions = [await openSession(address), await openSession(address)];
  });
  afterAll(() => Promise.all(sessions.map((session) => session.end())));

  /** Tests a database that runs each statement as `change` returns it. */
  function checkChanged(change: (text: string) => string): Promise<void> {
    const [one, other] = sessions.map(
      (session) =>
        ({
          query: (text: string, values?: unknown[]) => session.query(change(text), values),
        }) as unknown as pg.Client,
    ) as [pg.Client, pg.Client];
    return checkNeeds(one, other, 'ImitationDB', address);
  }

  it('finds all of it in PostgreSQL', async () => {
    await expect(checkChanged((text) => text)).resolves.toBeUndefined();
  });

  it.each([
    ['changes of the schema', (text: string) => (text === 'BEGIN' || text === 'ROLLBACK' ? 'SELECT' : text)],
    ['identity columns', (text: string) => text.replace(/nextval\(.*?\)/g, '1')],
    ['advisory locks', (text: string) => text.replace(/pg_try_advisory_xact_lock\(\$1\)/, '$1::int IS NOT NULL')],
    ['row locks', (text: string) => text.replace('FOR UPDATE SKIP LOCKED', '')],
    ['table locks', (text: string) => text.replace(/^LOCK TABLE \S+ IN SHARE/, 'LOCK TABLE UNSUPPORTED')],
    ['read committed', (text: string) => (text === 'BEGIN' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ' : text)],
    ['as a whole or not at all', (text: string) => text.replace('1 / (', '1 + (')],
  ])('finds that %s are missing, names the database, and leaves nothing', async (name, change) => {
    const refusal = await checkChanged(change).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      name: 'StoreError',
      fault: expect.stringMatching(`^ImitationDB .* lacks [^,]*${name}`),
    });
    const { rows } = await (sessions[0] as pg.Client).query(
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tabularium_trial_%'",
    );
    expect(rows).toEqual([]);
  });
});
