import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { checkServer } from '../../../../../src/store/postgres/schema/create-schema.js';
import { StoreError } from '../../../../../src/store/store-error.js';

const address = { url: 'postgres://user:s3cret@db/x', schema: 'tabularium' };

/** A client of a server with these facts. */
function clientOf(facts: { standby?: boolean; encoding?: string }): pg.Client {
  const rows = [{ standby: false, encoding: 'UTF8', ...facts }];
  return { query: async () => ({ rows }) } as unknown as pg.Client;
}

describe('A server of a database', () => {
  it.each(['UTF8', 'SQL_ASCII'])('may have the encoding %s, which holds every text', async (encoding) => {
    await expect(checkServer(clientOf({ encoding }), address)).resolves.toBeUndefined();
  });

  it.each([
    // One name of a table that the encoding does not have fails all reads of its statement.
    ['another encoding', { encoding: 'LATIN1' }, /LATIN1.*ENCODING 'UTF8'/],
    ['a standby', { standby: true }, /standby/],
  ])('is rejected for %s, without the password', async (_what, facts, message) => {
    const rejection: unknown = await checkServer(clientOf(facts), address).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(StoreError);
    expect(String(rejection)).toMatch(message);
    expect(String(rejection)).not.toContain('s3cret');
  });
});
