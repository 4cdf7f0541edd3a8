import pg from 'pg';
import { type DatabaseAddress, readAddress } from '../../../src/store/postgres/connection/database-address.js';
import { prepareSession } from '../../../src/store/postgres/connection/session.js';

/** Opens a session of a database as a server does, with the same settings. The caller ends it. */
export async function openSession(address: DatabaseAddress): Promise<pg.Client> {
  const { hosts, ...config } = readAddress(address);
  const client = new pg.Client({ ...config, ...hosts[0] });
  await client.connect();
  await prepareSession(client, address);
  return client;
}
