import { shownNumber as n, type Rule, shownSeconds, shownShare } from './rule.js';
import { thresholds as t } from './thresholds.js';

const performance = 'How your choice of PartitionKey and RowKey affects query performance';
const first = 'the first such query';
const scan = `info; warn from ${n(t.tableScanWarn)} entities read by one query, serious from ${n(t.tableScanSerious)}`;
const atLeastWarn = `warn; serious from ${n(t.tableScanSerious)} entities read by one query`;
const sparse = `info; warn after ${t.densityCallsMin} queries that read ${n(t.densityReadMin)} entities or more, of which at most ${shownShare(t.densityWarn)} match; serious at ${shownShare(t.densitySerious)}`;
const inParallel = 'Send one query for each key, in parallel.';
const twoQueries = 'Send two queries: one below the key, one above it.';

/** The rules about queries. `judge-query.ts`, `query-shapes.ts` and, for repetition, `table-habits.ts` decide when they apply. */
const queryRules = {
  'table-scan/or-keys': {
    title: "Keys are joined by 'or', so the whole table is read",
    finds: `${first}, unless one half alone reads as much; ${atLeastWarn}`,
    advice: inParallel,
    chapter: performance,
  },
  'table-scan/unequal-key': {
    title: "A key is excluded by 'ne' or 'not', so the whole table is read",
    finds: `${first}; ${atLeastWarn}`,
    advice: twoQueries,
    chapter: performance,
  },
  'table-scan/rowkey-only': {
    title: 'The RowKey is given without the PartitionKey, so the whole table is read',
    finds: `${first}; ${atLeastWarn}`,
    advice: 'Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions.',
    chapter: 'Inter-partition secondary index pattern',
  },
  'table-scan/timestamp-only': {
    title: 'The query selects by Timestamp alone, so the whole table is read',
    finds: `${first}; ${atLeastWarn}`,
    advice: 'Put the time into a key.',
    chapter: 'Log tail pattern',
  },
  'table-scan/properties-only': {
    title: 'The query compares properties, so the whole table is read',
    finds: `${first}; ${scan}`,
    advice: 'Put the value that you search for into a PartitionKey, or keep index entities.',
    chapter: 'Inter-partition secondary index pattern',
  },
  'table-scan/unfiltered': {
    title: 'The whole table is read, without a filter',
    finds: `${first}; ${scan}. A query with $top that stops before ${n(t.tableScanWarn)} entities is not found`,
    advice:
      'That is fine for a small table that is rarely read. Otherwise read by partition, or cache the entities in the client.',
    chapter: 'Join in the client',
  },
  'table-scan/open-keys': {
    title: 'The keys in the filter do not narrow the range',
    finds: `${first}; ${scan}`,
    advice: "Compare the PartitionKey with 'eq', and combine it with the rest using 'and'.",
    chapter: performance,
  },
  'partition-scan/or-keys': {
    title: "RowKeys are joined by 'or', so the whole partition is read",
    finds: `${first}, unless one half alone reads as much; warn`,
    advice: inParallel,
    chapter: performance,
  },
  'partition-scan/unequal-key': {
    title: "A key is excluded by 'ne' or 'not', so the whole partition is read",
    finds: `${first}; warn, or info in a partition of at most ${t.unequalKeyReadMax} entities`,
    advice: twoQueries,
    chapter: performance,
  },
  'partition-scan/properties-only': {
    title: 'The query compares properties, so the whole partition is read',
    finds: `${first}; ${sparse}`,
    advice: 'Store the entity a second time, with the value that you search for in the RowKey.',
    chapter: 'Intra-partition secondary index pattern',
  },
  'partition-scan/range': {
    title: 'A range of partitions is read to find some of their entities',
    finds: `${first}; ${sparse}`,
    advice: 'Store the entity a second time, with the value that you search for in the PartitionKey.',
    chapter: 'Inter-partition secondary index pattern',
  },
  'type-mismatch/key': {
    title: 'A key is compared with a constant that is not a string, so nothing is found',
    finds: `${first}; warn`,
    advice: "Keys are strings. Write the key in quotes, such as PartitionKey eq '5'.",
  },
  'type-mismatch/property': {
    title: 'A property is compared with a constant of a different type, so nothing is found',
    finds: `${first} that finds nothing, if all entities seen in writes have another type there; warn`,
    advice: 'Write the constant in the type of the property, or store the property in the type that you search for.',
  },
  'rejected-filter': {
    title: 'The service rejects the filter',
    finds: `${first}; warn`,
    costs: 'Every such query fails.',
    advice: "The request's explanation shows where the error is.",
  },
  'no-effect/option': {
    title: 'A query option without its $ is ignored',
    finds: `${first} with filter, select or top, whose names are $filter, $select and $top; warn`,
    costs: 'The service ignores names that it does not know, so the query reads and returns more than was meant.',
    advice: 'Write the name of the option with $.',
  },
  'no-effect/transaction': {
    title: 'A transaction has no operation, so it stores nothing',
    finds: 'the first transaction that succeeds without an operation; warn',
    costs: 'The service answers 202, and nothing is stored.',
    advice:
      'Compare the boundary in Content-Type with the delimiters in the body. If there is nothing to write, send nothing.',
  },
  'wide-read/no-select': {
    title: 'Whole entities are read where a part may be enough',
    finds: `queries without $select of ${t.projectionRows} entities or more, each of 1 KiB or more, 1 MiB in all; info`,
    advice: 'Name the properties that you need in $select.',
    chapter: 'Server-side projection',
  },
  'wide-read/full-metadata': {
    title: 'Lists are read with full metadata or in Atom',
    finds: `a page of ${t.fullMetadataRows} entities or more with odata=fullmetadata, or in Atom; info`,
    advice: 'Request odata=nometadata, or minimal metadata if you need the types.',
  },
  'ignored-token': {
    title: 'Continuation tokens are ignored',
    finds: `${t.ignoredTokens} answers with a token that no request has used after ${shownSeconds(t.tokenMs)}, without $top; warn, or serious at the first whose page is empty`,
    costs: 'The result lacks the entities of the other pages.',
    advice: 'Request the next page until there is no token, even after an empty page. If one page is enough, use $top.',
    chapter: 'Retrieve large numbers of entities from a query',
  },
  'near-limit/comparisons': {
    title: 'The filter has more comparisons than the service documents',
    finds: `more than ${t.comparisonsMax} comparisons; warn`,
    advice: 'Split the query.',
  },
} as const satisfies Record<string, Rule>;

/** The rules about reads and writes of single entities, and about transactions. */
const operationRules = {
  'n+1/sequence': {
    title: 'Entities of a partition are read one after the other',
    finds: `${t.pointReads} such reads on one connection within ${shownSeconds(t.pointReadsMs)}; warn if a query has just returned at most ${t.pointReadsSpread} times as many entities of the partition, otherwise info`,
    costs: 'Each read is a request that waits for the previous one.',
    advice: 'If their keys are neighbors, read them with one range query. Otherwise read them in parallel.',
    chapter: 'Compound key pattern',
  },
  'read-before-write': {
    title: 'An entity is read before it is written without its ETag',
    finds: `${t.readsBeforeWrite} times in a table, each within ${shownSeconds(t.readBeforeWriteMs)}; inserts do not count; info, or warn from ${t.readsBeforeWriteWarn}`,
    costs: 'There are twice as many requests, and a change that another client makes in between is lost.',
    advice:
      'Write at once with Insert Or Merge or Insert Or Replace. If the write depends on the read, send the ETag in If-Match.',
    chapter: 'Managing concurrency',
  },
  contention: {
    title: 'Many writes conflict with another change',
    finds: `${shownShare(t.contentionShare)} of ${t.contentionWrites} writes to a table with an ETag; warn`,
    costs: 'Each rejected write is retried, after another read.',
    advice:
      'Split the entity, so that fewer clients write to the same one, or write one series of values into one entity.',
    chapter: 'Data series pattern',
  },
  'single-writes/deletes': {
    title: 'Entities are deleted one by one',
    finds: `${t.singleDeletes} single deletions in a partition within ${shownSeconds(t.singleDeletesMs)}; warn`,
    costs: 'Each deletion is a request. 100 in one transaction are one.',
    advice:
      'Delete up to 100 entities of a partition in one transaction. If they expire together, keep a table for each period and delete the table.',
    chapter: 'High volume delete pattern',
  },
  'single-writes/writes': {
    title: 'Writes could be one transaction',
    finds: `${t.singleWrites} single writes to a partition on one connection, one after the other, within ${shownSeconds(t.singleWritesMs)}; Insert Or Replace and Insert Or Merge do not count; info`,
    costs: 'Each write is a request. 100 in one transaction are one.',
    advice: 'Send up to 100 writes to a partition in one transaction. It costs as much as one write.',
    chapter: 'Entity group transactions',
  },
} as const satisfies Record<string, Rule>;

const oneServer = 'One server handles each partition; it accepts 2,000 entities a second and rejects the rest.';

/** The rules about whole tables: their partitions and their names. */
const tableRules = {
  'hot-partition/one-partition': {
    title: 'One partition gets most of the work',
    finds: `${shownShare(t.hotShare)} of ${n(t.hotWrites)} writes to one of several partitions; warn; info for ${n(t.onePartitionWrites)} writes to a table with one partition`,
    costs: oneServer,
    advice: 'Choose a PartitionKey that spreads the writes over many partitions.',
    chapter: 'Choose an appropriate PartitionKey',
  },
  'table-churn/name-reuse': {
    title: 'The name of a deleted table is reused immediately',
    finds: `a creation within ${shownSeconds(t.nameReuseMs)} after the deletion; info, because tests do it on purpose`,
    costs: 'Azure rejects the name for a while.',
    advice: 'Use a new name, or delete the entities instead.',
    chapter: 'High volume delete pattern',
  },
  'table-churn/create-again': {
    title: 'A table is created again and again',
    finds: `${t.rejectedCreations} rejected creations of one table in ${shownSeconds(t.rejectedCreationsMs)}, under one mark if tests set marks; info`,
    costs: 'Each creation is a rejected request.',
    advice: 'Create it once, when the program starts.',
  },
} as const satisfies Record<string, Rule>;

const known = { ...queryRules, ...operationRules, ...tableRules };

/** The name of a cause: a rule alone, or with its cause, such as `table-scan/or-keys`. */
export type CauseName = keyof typeof known;

/** The name of a rule. Budgets and accepted findings use the same names. */
export type RuleName = CauseName extends infer Name ? (Name extends `${infer Rule}/${string}` ? Rule : Name) : never;

/**
 * All rules of the coach in words, by cause. `thresholds.ts` has their numbers.
 *
 * Source: Table design guide, "Guidelines for table design"; Table design guide, "Table design patterns".
 */
export const rules: Readonly<Record<CauseName, Rule>> = known;

/** All causes, grouped by rule. */
export const causeNames = Object.keys(rules) as readonly CauseName[];

/** All rules. */
export const ruleNames = [...new Set(causeNames.map(ruleOf))];

/** Returns the fault and the fix, in words. */
export function adviceOf(name: CauseName): string {
  const { title, advice } = rules[name];
  return `${title}. ${advice}`;
}

/** Returns the rule of a cause. */
export function ruleOf(name: CauseName): RuleName {
  return name.split('/')[0] as RuleName;
}
