import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createClock } from '../../../../../src/clock/clock.js';
import { openStore } from '../../../../../src/store/open-store.js';
import { checkDatabase } from '../../../../../src/store/postgres/connection/session.js';
import { imitateDatabase } from '../../../../support/postgres/imitated-database.js';

const address = { url: 'postgres://user:s3cret@db/x', schema: 'tabularium' };

const check = (version: string) =>
  checkDatabase({ query: async () => ({ rows: [{ version }] }) } as unknown as pg.Client, address);

// What `SELECT version()` returns, as the documentation or the issues of each product show it.
describe('A database', () => {
  it.each([
    'PostgreSQL 14.0 on x86_64-pc-linux-gnu, compiled by gcc',
    'PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu',
    'PostgreSQL 18.4 on aarch64-apple-darwin',
    'PostgreSQL 19devel on x86_64-pc-linux-gnu',
    'PostgreSQL 17beta2, compiled by Visual C++ build 1940, 64-bit',
  ])('that says %s is served', async (text) => {
    await check(text);
  });

  it.each([
    [
      'CockroachDB CCL v25.2.0 (x86_64-pc-linux-gnu, built 2025/05/09)',
      /^CockroachDB cannot.*advisory locks did nothing/,
    ],
    ['PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103', /^Redshift cannot/],
    ['PostgreSQL 13.14.0-RisingWave-2.0.1 (0f2b9ca)', /^RisingWave cannot/],
    ['PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB', /^QuestDB cannot/],
    ['PostgreSQL 9.5 on x86_64-unknown-linux-gnu (Materialize v0.100)', /^Materialize cannot/],
    ['PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang', /^YugabyteDB cannot.*never tried/],
    ['PostgreSQL 13.21 on x86_64-pc-linux-gnu', /^PostgreSQL 13 cannot.*too old/],
    ['SomethingElse 1.0', /^SomethingElse 1\.0 cannot.*does not say which version/],
  ])('that says %s is rejected by its name, with what is missing', async (text, message) => {
    const rejection = await check(text).catch((error: unknown) => error);
    expect(rejection).toMatchObject({ name: 'StoreError', message: expect.stringMatching(message) });
    expect(rejection).toMatchObject({ remedy: 'Use PostgreSQL 14 or newer.' });
    expect(String(rejection)).not.toContain('s3cret');
  });

  it('that is not served is rejected by its name when a store is opened', async () => {
    const url = await imitateDatabase('CockroachDB CCL v25.2.0');
    const place = { engine: 'postgres', url, schema: 'tabularium', connections: 4 } as const;
    const opening = openStore(place, { clock: createClock(), cacheBytes: 0 });
    await expect(opening).rejects.toThrow(/^CockroachDB cannot be used for the schema tabularium/);
  });
});
