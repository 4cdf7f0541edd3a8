import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { openStore } from '../../../src/store/open-store.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';
import { account, insert, keyAt, readEntity } from '../../support/store/store-changes.js';

/** Leads to this machine, but is not one of the names of the loopback address, so TLS is used and verified. */
const host = '0.0.0.0';

/** Kinds of names in a certificate. */
const [dnsName, ipAddress] = [2, 7] as const;

describe.skipIf(!clusterDatabase)('a database on another host', () => {
  let cluster: PostgresCluster;
  let authority: { readonly cert: string; readonly key: string };
  let file: string;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    const made = await generate([{ name: 'commonName', value: 'An authority' }], {
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, critical: true },
      ],
    });
    authority = { cert: made.cert, key: made.private };
    file = join(cluster.folder, 'authority.pem');
    await writeFile(file, authority.cert);
  });
  afterAll(() => cluster.remove());

  /** Gives the server a certificate of the authority. */
  async function useCertificateOf(name: { type: 2; value: string } | { type: 7; ip: string }): Promise<void> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'A database' }], {
      ca: authority,
      extensions: [{ name: 'subjectAltName', altNames: [name] }],
    });
    await cluster.useTls({ cert, key });
  }

  /** Opens the store with parameters in the URL. */
  function open(parameters: string, at = host) {
    const url = `${Object.assign(new URL(cluster.url), { host: `${at}:${cluster.port}` }).href}${parameters}`;
    const place = { engine: 'postgres', url, schema: 'tls', connections: 4 } as const;
    return openStore(place, { clock: createClock(), cacheBytes: 0 });
  }

  /** Writes and reads through a store. Returns whether each of its connections is encrypted. */
  async function useStore(parameters: string, at?: string): Promise<readonly unknown[]> {
    const store = await open(parameters, at);
    await store.createTable(account, 'Table');
    await store.openTable(account, 'Table').commit([insert(keyAt(parameters))]);
    expect(await readEntity(store, 'Table', keyAt(parameters))).toBeDefined();
    const rows = await cluster.query(
      "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tabularium'",
    );
    await store.close();
    return rows.map(({ ssl }) => ssl);
  }

  it('is not used if it speaks no TLS, unless the address allows that', async () => {
    await expect(open('')).rejects.toThrow('SSL');
    expect(await useStore('?sslmode=disable')).toEqual([false]);
  });

  it('is used over TLS if an authority that is named has signed its certificate', async () => {
    await useCertificateOf({ type: ipAddress, ip: host });
    await expect(open('')).rejects.toMatchObject({
      remedy: expect.stringContaining('sslrootcert'),
    });
    expect(await useStore(`?sslrootcert=${encodeURIComponent(file)}`)).toEqual([true]);
    expect(await useStore('?sslmode=require')).toEqual([true]);
  });

  it('is not used if its certificate is of another name, also if the authority is right', async () => {
    await useCertificateOf({ type: dnsName, value: 'other.example' });
    await expect(open(`?sslrootcert=${encodeURIComponent(file)}`)).rejects.toMatchObject({
      message: expect.stringContaining("IP: 0.0.0.0 is not in the cert's list"),
    });
    expect(await useStore('?sslmode=require')).toEqual([true]);
    // On this machine, nothing can listen in between.
    expect(await useStore('', '127.0.0.1')).toEqual([false]);
  });
});
