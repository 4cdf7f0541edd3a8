import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { prepareSession } from '../../../../../src/store/postgres/connection/session.js';

const address = { url: 'postgres://user:s3cret@db/x', schema: 'tabularium' };

/** A client of a database that keeps all settings but this one. */
function clientOf(kept: { name: string; value: string; found: string | null }): pg.Client {
  const answers = [[{ version: 'PostgreSQL 15.18' }], [], [kept]];
  return {
    escapeLiteral: (text: string) => `'${text}'`,
    query: async () => ({ rows: answers.shift() }),
  } as unknown as pg.Client;
}

describe('A session', () => {
  it('is rejected if it does not keep a setting, with its name and what to do', async () => {
    const kept = { name: 'client_min_messages', value: 'warning', found: 'error' };
    const rejection: unknown = await prepareSession(clientOf(kept), address).catch((error: unknown) => error);
    expect(String(rejection)).toMatch(/client_min_messages: it must be warning and is error.*pool_mode = session/);
    expect(String(rejection)).not.toContain('s3cret');
  });

  it('may lack a setting that its version of the database does not have', async () => {
    const kept = { name: 'transaction_timeout', value: '0', found: null };
    await expect(prepareSession(clientOf(kept), address)).resolves.toBeUndefined();
  });
});
