/**
 * The Edm types a property may have, and nothing else. Source: data model, "Types".
 */
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

/** Whether a type name, as written in an `@odata.type` annotation, is one the service knows. */
export function isEdmType(name: string): name is EdmType {
  return (edmTypes as readonly string[]).includes(name);
}

/** The names of the metadata levels, as `odata=` spells them. Source: operations, "Content negotiation". */
export const metadataLevels = ['nometadata', 'minimalmetadata', 'fullmetadata'] as const;

/** How much of the OData annotations an answer carries, as negotiated by `$format` or `Accept`. */
export type MetadataLevel = (typeof metadataLevels)[number];

/**
 * The properties of an entity whose type is declared. All others are open: each entity may have another type.
 * Source: queries, section 2.
 */
export const declaredOfEntity: ReadonlyMap<string, EdmType> = new Map<string, EdmType>([
  ['PartitionKey', 'Edm.String'],
  ['RowKey', 'Edm.String'],
  ['Timestamp', 'Edm.DateTime'],
]);

/** The properties of a table whose type is declared. Source: queries, section 8. */
export const declaredOfTable: ReadonlyMap<string, EdmType> = new Map<string, EdmType>([['TableName', 'Edm.String']]);
