/**
 * How the cloud finds the entities of a query, cheapest first. `one-partition` and `cross-partition` are of Cosmos DB, which has
 * an index of every property; the others but `none` and `point` are of storage accounts, which have only the keys.
 */
export const queryClassNames = [
  'none',
  'point',
  'one-partition',
  'row-range',
  'partition-scan',
  'partition-range',
  'cross-partition',
  'table-scan',
] as const;

/** A class of queries. */
export type QueryClass = (typeof queryClassNames)[number];

/**
 * What each class makes the cloud do, for people.
 *
 * Source: Table design guide, "How your choice of PartitionKey and RowKey affects query performance".
 */
export const queryClassWords: Readonly<Record<QueryClass, string>> = {
  none: 'No entity can match, so nothing is read.',
  point: 'One entity is read, found by its two keys.',
  'one-partition': 'The index of one partition is asked.',
  'row-range': 'A range of one partition is read.',
  'partition-scan': 'Every entity of one partition is read.',
  'partition-range': 'Every entity of a range of partitions is read.',
  'cross-partition': 'The index of every partition is asked.',
  'table-scan': 'Every entity of the table is read.',
};

/** Something about a query that its class does not tell. */
export type QueryFlag =
  | 'or-keys'
  | 'ne-keys'
  | 'key-type'
  | 'not-keys'
  | 'rowkey-only'
  | 'timestamp-only'
  | 'properties-only'
  | 'unfiltered'
  | 'residual';
