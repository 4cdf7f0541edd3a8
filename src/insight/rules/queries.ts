import { shownNumber as n, type Rules, shownSeconds, shownShare } from '../rule.js';
import { thresholds as t } from '../thresholds.js';

const performance = 'How your choice of PartitionKey and RowKey affects query performance';

/** The rules about queries. `judge-shape.ts` decides when they apply. */
export const queryRules = {
  R1: {
    title: 'The query reads the whole table',
    finds: `a table scan; warn from ${n(t.tableScanWarn)} entities read by one query, serious from ${n(t.tableScanSerious)}. A small table that is read whole at most once a minute is not found, nor is a query with $top that reads only what it returns`,
    advice: 'Put the value that you search for into a PartitionKey, or keep index entities.',
    chapter: 'Inter-partition secondary index pattern',
  },
  R2: {
    title: 'Most of what the query reads does not match',
    finds: `${t.densityCallsMin} scans of partitions with ${n(t.densityReadMin)} entities or more, of which at most ${shownShare(t.densityWarn)} match; serious at ${shownShare(t.densitySerious)}`,
    advice: 'Store the entity a second time, with the value that you search for in the RowKey.',
    chapter: 'Intra-partition secondary index pattern',
  },
  R3: {
    title: "Keys are joined by 'or'",
    finds: 'the first such query, unless one half alone reads as much',
    advice: 'Send one query for each key, in parallel.',
    chapter: performance,
  },
  R4: {
    title: "A key is excluded by 'ne' or 'not'",
    finds: `the first such query; info in a partition of at most ${t.unequalKeyReadMax} entities`,
    advice: 'Send two queries: one below the key, one above it.',
    chapter: performance,
  },
  R5: {
    title: 'The RowKey is given without the PartitionKey',
    finds: 'the first such query',
    advice: 'Keep the PartitionKey where the RowKey comes from, or keep an index in other partitions.',
    chapter: 'Inter-partition secondary index pattern',
  },
  R6: {
    title: 'The filter uses what the service does not have',
    finds: 'the first such query',
    advice: 'The explanation of the request has the form that works.',
  },
  R7: {
    title: 'Whole entities are read where a part may do',
    finds: `queries without $select of ${t.projectionRows} entities or more, each of 1 KiB or more, 1 MiB in all`,
    advice: 'Name the properties that you need in $select.',
    chapter: 'Server-side projection',
  },
  R11: {
    title: 'The newest entities are at the end of what is read',
    finds: `${t.walks} queries that read ${n(t.walkRead)} entities or more up to the end of a partition whose RowKeys are ascending times`,
    advice: 'Store the time inverted, so that the newest entity is the first.',
    chapter: 'Log tail pattern',
  },
  R17: {
    title: 'A series of values is stored as many small entities',
    finds: `the same partition listed ${t.seriesReads} times: ${t.seriesEntitiesMin} to ${t.seriesEntitiesMax} entities below ${t.seriesEntityBytes} bytes whose RowKeys are numbers or times`,
    advice: 'Store the series in one entity, with a property for each value.',
    chapter: 'Data series pattern',
  },
  R21: {
    title: 'Lists are read with full metadata or in Atom',
    finds: `a page of ${t.fullMetadataRows} entities or more with odata=fullmetadata, or in Atom`,
    advice: 'Ask for odata=nometadata, or for minimal metadata if you need the types.',
  },
  R22: {
    title: 'The filter has more comparisons than the service documents',
    finds: `more than ${t.comparisonsMax} comparisons`,
    advice: 'Split the query.',
  },
  R23: {
    title: 'Continuation tokens are ignored',
    finds: `${t.ignoredTokens} answers with a token that no request has used after ${shownSeconds(t.tokenMs)}, without $top; serious at the first whose page is empty`,
    advice: 'Ask for the next page until there is no token, also after an empty page. If one page suffices, use $top.',
    chapter: 'Retrieve large numbers of entities from a query',
  },
  R24: {
    title: 'The query selects by Timestamp alone',
    finds: 'the first such query',
    advice: 'Put the time into a key.',
    chapter: 'Log tail pattern',
  },
} as const satisfies Rules;
