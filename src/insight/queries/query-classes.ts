/**
 * The classes of queries by their cost in the cloud, cheapest first. `one-partition` and `cross-partition` are for Cosmos DB, which
 * indexes every property; the others except `none` and `point` are for storage accounts, which index only the keys.
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
 * The work of the cloud for each class, for people.
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

/** Short names for people. Those of storage accounts are the terms of the same chapter. */
const shortNames: Readonly<Record<QueryClass, string>> = {
  none: 'nothing to read',
  point: 'one entity',
  'one-partition': 'query of one partition',
  'row-range': 'range query',
  'partition-scan': 'partition scan',
  'partition-range': 'scan of several partitions',
  'cross-partition': 'query of all partitions',
  'table-scan': 'table scan',
};

/** The fault of a query, by the cause in `judgeQuery`. */
const shortCauses: ReadonlyMap<string | undefined, string> = new Map([
  ['or-keys', "keys joined by 'or'"],
  ['unequal-key', 'key excluded'],
  ['rowkey-only', 'no PartitionKey'],
  ['timestamp-only', 'Timestamp only'],
  ['properties-only', 'properties only'],
  ['unfiltered', 'no filter'],
  ['open-keys', 'no exact key'],
  ['range', 'properties compared'],
  ['key', 'key is not a string'],
]);

/** Names a query in a few words: `table scan (no filter)`. `fault` is the result of `judgeQuery`. */
export function nameQuery(name: string, fault?: string): string {
  const words = shortNames[name as QueryClass];
  const cause = shortCauses.get(fault?.split('/')[1]);
  return cause === undefined ? words : `${words} (${cause})`;
}

/** A property of a query beyond its class. */
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
