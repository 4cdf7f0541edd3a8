import { RestError, TableClient } from '@azure/data-tables';

/** Counts page visits in a table. */
export class Visits {
  readonly #table: TableClient;

  constructor(connectionString: string, table = 'Visits') {
    // The test server uses HTTP.
    this.#table = TableClient.fromConnectionString(connectionString, table, { allowInsecureConnection: true });
  }

  /** Creates the table if it does not exist. */
  async open(): Promise<void> {
    await this.#table.createTable();
  }

  /** Counts one visit. Retries if another visit was counted at the same time. Returns the new count. */
  async count(page: string): Promise<number> {
    for (;;) {
      const { count, etag } = await this.#read(page);
      const entity = { partitionKey: 'page', rowKey: page, count: count + 1 };
      try {
        await (etag === undefined
          ? this.#table.createEntity(entity)
          : this.#table.updateEntity(entity, 'Replace', { etag }));
        return count + 1;
      } catch (error) {
        if (!(error instanceof RestError && (error.statusCode === 409 || error.statusCode === 412))) throw error;
      }
    }
  }

  async #read(page: string): Promise<{ count: number; etag?: string }> {
    try {
      return await this.#table.getEntity<{ count: number }>('page', page);
    } catch (error) {
      if (error instanceof RestError && error.statusCode === 404) return { count: 0 };
      throw error;
    }
  }
}
