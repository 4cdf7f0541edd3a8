import { randomUUID } from 'node:crypto';
import { createClock } from '../../../src/clock/clock.js';
import { openStore } from '../../../src/store/open-store.js';
import type { Store } from '../../../src/store/store.js';
import { dropSchema } from './drop-schema.js';

/** The database of the tests on PostgreSQL; undefined when they run on another engine. */
export const clusterDatabase =
  process.env['TABULARIUM_TEST_ENGINE'] === 'postgres' ? process.env['TABULARIUM_TEST_DATABASE'] : undefined;

/** Several stores on one schema, as several servers have them. */
export interface Cluster {
  readonly stores: readonly Store[];
  readonly schema: string;
  /** What the stores reported from their background work. */
  readonly reports: readonly unknown[];
  /** Closes the stores and drops the schema. */
  dispose(): Promise<void>;
}

/** Opens stores on a new schema. Each reaches the database by a URL of its own. By default, two of its connections write. */
export async function openCluster(urls: readonly string[], direct = urls[0] ?? '', connections = 20): Promise<Cluster> {
  const schema = `cluster_${randomUUID().replaceAll('-', '')}`;
  const reports: unknown[] = [];
  // All at once: servers that start together must not disturb each other.
  const stores = await Promise.all(
    urls.map((url) =>
      openStore(
        { engine: 'postgres', url, schema, connections },
        { clock: createClock(), cacheBytes: 0, report: (error) => reports.push(error) },
      ),
    ),
  );
  return {
    stores,
    schema,
    reports,
    async dispose() {
      await Promise.all(stores.map((store) => store.close()));
      await dropSchema({ url: direct, schema });
    },
  };
}
