import type { StoreOperation } from './operation.js';
import { writeServiceProperties } from './write-service-properties.js';

/** Get Table Service Properties. Answers 200 with XML. Source: operations 8.6. */
export const getServiceProperties: StoreOperation = {
  name: 'Get Table Service Properties',
  kind: 'store',

  async run({ account, version }, store) {
    return { status: 200, xml: writeServiceProperties(await store.readServiceProperties(account), version) };
  },
};
