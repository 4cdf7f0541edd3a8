import { expect } from 'vitest';
import type { Answer } from '../answers/answer.js';
import type { Target } from '../clients/load-writer.js';
import type { ServiceClient } from '../clients/service-client.js';
import { contentOf } from '../store/partition-writer.js';
import { batchBoundary, insert, writeChangeSet } from './batch-tools.js';

const rowsOfTransaction = 100;
const transactions = 12;

/** A table that is filled with transactions and dropped, so that a sweep is running when the server is killed. */
export class BulkTable {
  readonly #name: string;
  #made = 0;
  #created = false;
  #dropping = false;
  #dropped = false;

  constructor(name: string) {
    this.#name = name;
  }

  /** Fills and drops the table, until the server ends. */
  async fillAndDrop({ client, base }: Target): Promise<void> {
    const made = async (answer: Promise<Answer>) => {
      const { status, body } = await answer;
      expect(status, body).toBeLessThan(300);
      expect(body).not.toMatch(/^HTTP\/1\.1 [45]/m);
    };
    const fill = async () => {
      await made(client.post('/Tables', { TableName: this.#name }));
      this.#created = true;
      for (let at = 0; at < transactions; at++) {
        const rows = Array.from({ length: rowsOfTransaction }, (_, row) => ({ RowKey: `${at}-${row}`, N: row }));
        const parts = rows.map((row) => insert(this.#name, { PartitionKey: 'p', ...row }));
        const body = writeChangeSet(parts.map((part) => ({ ...part, url: `${base}${part.url}` })));
        await made(
          client.post('/$batch', body, { headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` } }),
        );
        this.#made++;
      }
      this.#dropping = true;
      await made(client.delete(`/Tables('${this.#name}')`));
      this.#dropped = true;
    };
    await fill().catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error)) throw error;
    });
  }

  /** Expects the acknowledged rows, in whole transactions. */
  async expectKept(client: ServiceClient): Promise<void> {
    const { status } = await client.get(`/${this.#name}()?$top=1`);
    if (status === 404) {
      expect(this.#dropping || !this.#created, `${this.#name} is gone`).toBe(true);
      return;
    }
    expect(this.#dropped, `${this.#name} is back`).toBe(false);
    const rows = await contentOf(client, this.#name, 'p');
    expect(rows.size % rowsOfTransaction).toBe(0);
    expect(rows.size / rowsOfTransaction).toBeGreaterThanOrEqual(this.#made);
    expect(rows.size / rowsOfTransaction).toBeLessThanOrEqual(this.#made + 1);
  }
}
