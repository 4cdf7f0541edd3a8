import type { StoreOperation } from './operation.js';
import { readServiceProperties } from './read-service-properties.js';

/**
 * Set Table Service Properties: changes the settings that the document mentions.
 *
 * Answers 202. Errors: InvalidXmlDocument, InvalidXmlNodeValue (400). Source: operations 8.7.
 */
export const setServiceProperties: StoreOperation = {
  name: 'Set Table Service Properties',
  kind: 'store',

  async run({ account, body }, store) {
    await store.writeServiceProperties(account, await readServiceProperties(body));
    // The recorded answer has an empty chunked body.
    return { status: 202, plain: true, xml: '' };
  },
};
