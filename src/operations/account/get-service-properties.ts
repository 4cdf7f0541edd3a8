import type { StoreOperation } from '../operation.js';

/** Get Table Service Properties. Answers with the settings. Source: operations 8.6. */
export const getServiceProperties: StoreOperation = {
  name: 'Get Table Service Properties',
  kind: 'store',

  async run({ account }, store) {
    return { kind: 'service-properties', properties: await store.readServiceProperties(account) };
  },
};
