import {
  binaryBytesMax,
  entityBytesMax,
  entityPropertiesMax,
  keyUnitsMax,
  propertyNameUnitsMax,
  stringUnitsMax,
} from './limits.js';

/**
 * The traits of an account's service that affect its stored data, chosen when the account is opened. Code checks a trait, never
 * the name of a service.
 */
export interface ServiceTraits {
  /** The name of the service. The store keeps it with the account, and rejects the account to another service. */
  readonly service: string;
  /** The order of the rows of a query: by PartitionKey and RowKey, or by the time of their insertion. */
  readonly rowOrder: 'key' | 'insertion';
  /** Whether two tables may have names that differ only in letter case. */
  readonly hasExactTableNames: boolean;
  /**
   * The order of stored properties: `sorted`, as an insert sends them and sorted after any other write; `written`, always
   * in the order in which each was written first.
   */
  readonly propertyOrder: 'sorted' | 'written';
  readonly limits: EntityLimits;
}

/** The limits of one entity. */
export interface EntityLimits {
  readonly properties: number;
  /** Length of a property name. Unit: UTF-16 code units. */
  readonly nameUnits: number;
  /** Size by the formula of storage accounts. Unit: bytes. */
  readonly bytes: number;
  /** Length of an Edm.String value. Unit: UTF-16 code units. */
  readonly stringUnits: number;
  /** Length of an Edm.Binary value. Unit: bytes. */
  readonly binaryBytes: number;
  /** Length of the PartitionKey. Unit: UTF-16 code units. */
  readonly partitionKeyUnits: number;
  /** Length of the RowKey. Unit: UTF-16 code units. */
  readonly rowKeyUnits: number;
}

/** The traits of a storage account, the default for every account. Source: data-model. */
export const storageTraits: ServiceTraits = {
  service: 'storage',
  rowOrder: 'key',
  hasExactTableNames: false,
  propertyOrder: 'sorted',
  limits: {
    properties: entityPropertiesMax,
    nameUnits: propertyNameUnitsMax,
    bytes: entityBytesMax,
    stringUnits: stringUnitsMax,
    binaryBytes: binaryBytesMax,
    partitionKeyUnits: keyUnitsMax,
    rowKeyUnits: keyUnitsMax,
  },
};
