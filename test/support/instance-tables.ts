import { TableClient, TableServiceClient } from '@azure/data-tables';
import type { Tabularium } from '../../src/index.js';

const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

/** A client of the unmodified SDK for a table of an instance's account. */
export function tableOf(connectionString: string, table = 'Table'): TableClient {
  return TableClient.fromConnectionString(connectionString, table, options);
}

/** The tables of an instance's account, as the SDK lists them. */
export async function tableNames({ connectionString }: Pick<Tabularium, 'connectionString'>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of TableServiceClient.fromConnectionString(connectionString, options).listTables()) {
    names.push(name ?? '');
  }
  return names;
}
