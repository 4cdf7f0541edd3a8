import { TableClient, TableServiceClient } from '@azure/data-tables';
import type { Tabularium } from '../../../src/index.js';

const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

/** Returns a client of the unmodified SDK for a table in the account of an instance. */
export function tableOf(connectionString: string, table = 'Table'): TableClient {
  return TableClient.fromConnectionString(connectionString, table, options);
}

/** Returns the tables in the account of an instance, as the SDK lists them. */
export async function tableNames({ connectionString }: Pick<Tabularium, 'connectionString'>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of TableServiceClient.fromConnectionString(connectionString, options).listTables()) {
    names.push(name ?? '');
  }
  return names;
}
