import { xmlDeclaration } from './xml-declaration.js';

/** Writes the state of replication as Get Table Service Stats answers it. Source: operations 8.8. */
export function writeStatsDocument(syncedAt: Date): string {
  const replication = `<GeoReplication><Status>live</Status><LastSyncTime>${syncedAt.toUTCString()}</LastSyncTime></GeoReplication>`;
  return `${xmlDeclaration}<StorageServiceStats>${replication}</StorageServiceStats>`;
}
