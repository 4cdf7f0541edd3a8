/** All Edm types that a property may have. Source: data-model 3.2. */
export const edmTypes = [
  'Edm.String',
  'Edm.Boolean',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Double',
  'Edm.DateTime',
  'Edm.Guid',
  'Edm.Binary',
] as const;

/** One of the eight Edm types of the Table service. */
export type EdmType = (typeof edmTypes)[number];

/** Returns whether a name from an `@odata.type` annotation is one of the eight Edm types. */
export function isEdmType(name: string): name is EdmType {
  return (edmTypes as readonly string[]).includes(name);
}

/** The metadata levels, named as in `odata=`. Source: operations 5. */
export const metadataLevels = ['nometadata', 'minimalmetadata', 'fullmetadata'] as const;

/** Selects the OData annotations of an answer. Clients choose it with `$format` or `Accept`. */
export type MetadataLevel = (typeof metadataLevels)[number];

/** The properties of an entity that have a declared type. All others are open: their type may differ between entities. Source: query 2. */
export const declaredOfEntity: ReadonlyMap<string, EdmType> = new Map<string, EdmType>([
  ['PartitionKey', 'Edm.String'],
  ['RowKey', 'Edm.String'],
  ['Timestamp', 'Edm.DateTime'],
]);

/** The properties of a table that have a declared type. Source: query 8. */
export const declaredOfTable: ReadonlyMap<string, EdmType> = new Map<string, EdmType>([['TableName', 'Edm.String']]);
