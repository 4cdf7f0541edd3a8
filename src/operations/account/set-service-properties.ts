import type { RequestBody, StoreOperation } from '../operation.js';

/**
 * Set Table Service Properties: changes the settings that the body contains.
 *
 * Errors: InvalidXmlDocument, InvalidXmlNodeValue (400). Source: operations 8.7.
 */
export const setServiceProperties: StoreOperation<RequestBody> = {
  name: 'Set Table Service Properties',
  kind: 'store',

  read(_request, body) {
    return body;
  },

  async run({ account }, store, body) {
    await store.writeServiceProperties(account, await body.readServiceProperties());
    return { kind: 'service-properties-set' };
  },
};
