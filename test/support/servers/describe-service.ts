import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { JsonObject } from '../answers/answer.js';
import { ServiceClient } from '../clients/service-client.js';
import { externalService, type OwnOnlyOptions, whyOnlyOurs } from './external-service.js';
import { type RunningService, startService } from './start-service.js';

/** The tools for tests of a service. */
export interface ServiceTools {
  readonly client: ServiceClient;
  /** Creates a new table and returns its name. */
  readonly withTable: () => Promise<string>;
  /** Creates a table with the entity ('p', 'r') and these properties. */
  readonly withEntity: (properties?: JsonObject) => Promise<StoredEntity>;
  /** Returns the running service. Throws outside of tests. */
  readonly service: () => RunningService;
}

/** An entity that was stored before a test. */
export interface StoredEntity {
  readonly table: string;
  /** Its path after the account. */
  readonly path: string;
  readonly etag: string;
}

/** Begins the names of tables that an external service keeps, so that runs do not meet. */
const namesOfRun = externalService ? `T${Date.now().toString(36)}x` : 'Table';
let tables = 0;

/**
 * Describes a chapter of the protocol, with a service that runs while its tests do. A test fails if the server logged
 * an error: it only does so where something happened that it did not expect. With `TABLE_SERVICE` the service is the
 * one named there; a chapter that needs one of ours is skipped, and its title says why.
 */
export function describeService(
  name: string,
  tests: (tools: ServiceTools) => void,
  options: OwnOnlyOptions = {},
): void {
  const why = whyOnlyOurs(options);
  describe.skipIf(why !== undefined)(`${name}${why ?? ''}`, () => {
    let running: RunningService | undefined;
    const service = () => {
      if (!running) throw new Error('the service runs only while tests do');
      return running;
    };
    const client = new ServiceClient(service);

    beforeAll(async () => {
      running = externalService
        ? { ...externalService, takeLoggedErrors: () => [], close: () => client.deleteCreatedTables() }
        : await startService(options);
    });
    afterEach(() => {
      expect(service().takeLoggedErrors()).toEqual([]);
    });
    afterAll(async () => {
      await running?.close();
      client.close();
    });

    const withTable = async () => {
      const table = `${namesOfRun}${++tables}`;
      const answer = await client.post('/Tables', { TableName: table }, { prefer: 'return-no-content' });
      expect(answer.status, answer.body).toBe(204);
      return table;
    };
    const withEntity = async (properties: JsonObject = { A: 'x' }) => {
      const table = await withTable();
      const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', ...properties });
      expect(answer.status, answer.body).toBe(201);
      return { table, path: `/${table}(PartitionKey='p',RowKey='r')`, etag: answer.headers['etag'] ?? '' };
    };

    tests({ client, withTable, withEntity, service });
  });
}
