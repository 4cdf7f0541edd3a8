import type { StoreOperation } from './operation.js';
import { xmlDeclaration } from './read-xml.js';

/**
 * Get Table Service Stats: the state of replication, on the secondary endpoint only. Nothing is replicated here, so the
 * secondary is always live and up to date.
 *
 * Answers 200 with XML. Errors: InvalidQueryParameterValue on the primary (400). Source: operations 8.8.
 */
export const getServiceStats: StoreOperation = {
  name: 'Get Table Service Stats',
  kind: 'store',

  run() {
    const synced = new Date().toUTCString();
    const replication = `<GeoReplication><Status>live</Status><LastSyncTime>${synced}</LastSyncTime></GeoReplication>`;
    return { status: 200, xml: `${xmlDeclaration}<StorageServiceStats>${replication}</StorageServiceStats>` };
  },
};
