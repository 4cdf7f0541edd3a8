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

/** The names of the classes in a line for people. Those of storage accounts are the terms of the same chapter. */
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

/** What is wrong with a query, by the cause of the rule that its form breaks. */
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

/** Names a query in a few words: `table scan (no filter)`. `fault` is the rule that its form breaks, as `judgeQuery` returns it. */
export function nameQuery(name: string, fault?: string): string {
  const words = shortNames[name as QueryClass];
  const cause = shortCauses.get(fault?.split('/')[1]);
  return cause === undefined ? words : `${words} (${cause})`;
}

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
