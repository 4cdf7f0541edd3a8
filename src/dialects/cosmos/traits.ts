import { bodyBytesMax } from '../../protocol/limits.js';
import type { ServiceTraits } from '../../protocol/service-traits.js';

/**
 * The traits of accounts of Azure Cosmos DB for Table.
 *
 * The order of rows and of properties is recorded. Names of tables and sizes of entities and keys are as documented, since
 * no recording shows them. A property name is limited by the body alone: one of 1,000 characters was accepted.
 * Source: cosmos 0; cosmos 2; cosmos 5; cosmos 13.
 */
export const cosmosTraits: ServiceTraits = {
  service: 'cosmos',
  rowOrder: 'insertion',
  hasExactTableNames: true,
  propertyOrder: 'written',
  limits: {
    // The places of both keys count as properties.
    properties: 255 + 2,
    nameUnits: bodyBytesMax,
    bytes: 2 * 1024 * 1024,
    stringUnits: bodyBytesMax,
    binaryBytes: bodyBytesMax,
    partitionKeyUnits: 1024,
    rowKeyUnits: 255,
  },
};
