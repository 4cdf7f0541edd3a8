import { expect } from 'vitest';
import type { ServiceClient } from '../clients/service-client.js';
import { batchBoundary, insert, writeChangeSet } from './batch-tools.js';

const rows = 8_000;

/** Creates the table Rows and writes 8,000 rows to it. A page of 1,000 is larger than the socket buffers of the system. */
export async function fillRows(client: ServiceClient, base: string): Promise<void> {
  expect((await client.post('/Tables', { TableName: 'Rows' })).status).toBe(201);
  const headers = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
  for (let first = 0; first < rows; first += 100) {
    const parts = Array.from({ length: 100 }, (_, at) => {
      const RowKey = String(first + at).padStart(5, '0');
      return insert('Rows', { PartitionKey: 'p', RowKey, A: at, Text: 'x'.repeat(500) });
    });
    const body = writeChangeSet(parts.map((part) => ({ ...part, url: `${base}${part.url}` })));
    expect((await client.post('/$batch', body, { headers })).status).toBe(202);
  }
}
