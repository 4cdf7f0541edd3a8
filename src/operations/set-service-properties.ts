import type { StoreOperation } from './operation.js';

/**
 * Set Table Service Properties: changes the settings that the body contains.
 *
 * Errors: InvalidXmlDocument, InvalidXmlNodeValue (400). Source: operations 8.7.
 */
export const setServiceProperties: StoreOperation = {
  name: 'Set Table Service Properties',
  kind: 'store',

  async run({ account, body }, store) {
    await store.writeServiceProperties(account, await body.readServiceProperties());
    return { kind: 'service-properties-set' };
  },
};
