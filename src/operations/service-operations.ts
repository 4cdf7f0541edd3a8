import { authorize } from '../auth/authorize.js';
import { TableError } from '../protocol/errors.js';
import type { StoreOperation } from './operation.js';
import { readServiceProperties } from './read-service-properties.js';
import { xmlDeclaration } from './read-xml.js';
import { writeServiceProperties } from './write-service-properties.js';

/** Get Table Service Properties. Answers 200 with XML. Source: operations 8.6. */
export const getServiceProperties: StoreOperation = {
  name: 'Get Table Service Properties',
  kind: 'store',

  admit({ identity }) {
    authorize(identity, 'Get Table Service Properties');
  },

  async run({ account, version }, store) {
    return { status: 200, xml: writeServiceProperties(await store.readServiceProperties(account), version) };
  },
};

/**
 * Set Table Service Properties: changes the settings that the document mentions.
 * Answers 202. Errors: InvalidXmlDocument, InvalidXmlNodeValue (400). Source: operations 8.7.
 */
export const setServiceProperties: StoreOperation = {
  name: 'Set Table Service Properties',
  kind: 'store',

  admit({ identity }) {
    authorize(identity, 'Set Table Service Properties');
  },

  async run({ account, body }, store) {
    await store.writeServiceProperties(account, await readServiceProperties(body));
    // An empty body, chunked: other than a 204 it has one.
    return { status: 202, plain: true, xml: '' };
  },
};

/**
 * Get Table Service Stats: the state of replication, of the secondary endpoint only. Nothing is replicated here, so
 * the secondary is always live and up to date.
 * Answers 200 with XML. Errors: InvalidQueryParameterValue on the primary (400). Source: operations 8.8.
 */
export const getServiceStats: StoreOperation = {
  name: 'Get Table Service Stats',
  kind: 'store',

  admit({ identity, secondary }) {
    authorize(identity, 'Get Table Service Stats');
    if (!secondary) throw new TableError('InvalidQueryParameterValue');
  },

  run() {
    const synced = new Date().toUTCString();
    const replication = `<GeoReplication><Status>live</Status><LastSyncTime>${synced}</LastSyncTime></GeoReplication>`;
    return { status: 200, xml: `${xmlDeclaration}<StorageServiceStats>${replication}</StorageServiceStats>` };
  },
};
