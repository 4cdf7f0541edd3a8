import { lowerAscii } from '../../protocol/names.js';
import type { KeyCut, KeyRange } from '../../query/plan/plan.js';
import { BoundedMap, ownText } from '../../remembered.js';
import type { Finding } from '../finding.js';
import { lengthOfNumber } from '../habits/row-numbers.js';
import { isTimeKey } from '../habits/time-key.js';
import type { TableReads } from '../habits/written-tables.js';
import type { ObservedQuery } from '../observation.js';
import type { QueryClass } from '../queries/query-classes.js';
import { shownText } from '../queries/shown-text.js';
import { thresholds } from '../rules/thresholds.js';
import { judgeShape, type ShapeContext } from './judge-shape.js';
import { OpenTokens } from './open-tokens.js';

/** How many shapes are kept, and how many marks of each. Ours: a program has some dozens. */
const shapesMax = 512;
const marksMax = 8;

/** The longest filter that a finding shows. Unit: UTF-16 code units. */
const exampleUnitsMax = 300;

/** What was counted of the queries of one shape. */
export interface ShapeState {
  /** Of the first query, as it may be shown. Nothing else of its request is kept. */
  readonly first: Pick<ObservedQuery, 'account' | 'table' | 'shape' | 'query' | 'requestId' | 'hasSelect' | 'hasTop'>;
  /** The filter of the first query, without a signature. */
  readonly example: string;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
  /** What to send instead; empty if it is not known. */
  readonly rewritten: readonly string[];
  readonly marks: Set<string>;
  readonly tokens: OpenTokens;
  worst: { readonly requestId: string; readonly read: number };
  calls: number;
  read: number;
  returned: number;
  bytes: number;
  comparisons: number;
  /** Entities that the current query has read on its pages so far, and the most that one query has read. */
  readByQuery: number;
  readByQueryMax: number;
  /** The partition of the first query that reads a single one, and how often it was listed as a series would be. */
  partition: string | undefined;
  listings: number;
  /** Queries that read a large partition up to its end, where the newest of its entities are. */
  walks: number;
  /** Large pages with full metadata. */
  fullPages: number;
}

/** What the queries of one shape have cost. */
export interface ShapeUsage {
  /** As in a finding. */
  readonly account: string;
  readonly table: string;
  readonly shape: string;
  readonly class: QueryClass;
  readonly calls: number;
  readonly read: number;
  readonly returned: number;
  readonly firstRequest: string;
  readonly marks: readonly string[];
}

/** Counts queries by shape, and judges each shape by the rules for queries. */
export class QueryShapes {
  readonly #shapes = new BoundedMap<ShapeState>(shapesMax);
  /** The account of the first query. Mostly there is no other. */
  #account: string | undefined;

  /** How many shapes were forgotten because there were too many. */
  get forgotten(): number {
    return this.#shapes.forgotten;
  }

  observe(page: ObservedQuery): void {
    const state = this.#shapes.use(this.#keyOf(page), () => newState(page));
    if (page.startRow === undefined || state.calls === 0) {
      state.calls++;
      state.readByQuery = 0;
    }
    state.read += page.read;
    state.returned += page.returned;
    state.bytes += page.bytes;
    state.comparisons = Math.max(state.comparisons, page.comparisons);
    state.readByQuery += page.read;
    if (state.readByQuery > state.readByQueryMax) state.readByQueryMax = state.readByQuery;
    if (page.read > state.worst.read) state.worst = { requestId: page.requestId, read: page.read };
    if (page.mark !== undefined && state.marks.size < marksMax) state.marks.add(page.mark.slice());
    if (page.hasFullMetadata && page.returned >= thresholds.fullMetadataRows) state.fullPages++;
    countTokens(state, page);
    countListing(state, page);
    countWalk(state, page);
  }

  /** Returns the findings about all shapes. */
  findings(context: ShapeContext): readonly Finding[] {
    return this.#shapes.values().flatMap((state) => judgeShape(state, context));
  }

  /** Returns what the queries of each shape have cost, those with the most reads first. */
  usages(): readonly ShapeUsage[] {
    return this.#shapes
      .values()
      .map(({ first: { account, table, shape, query, requestId }, calls, read, returned, marks }) => ({
        ...{ account, table, shape, class: query.class, calls, read, returned, firstRequest: requestId },
        marks: [...marks],
      }))
      .sort((a, b) => b.read - a.read || (a.shape < b.shape ? -1 : 1));
  }

  /** Returns how the tables are read. */
  reads(): TableReads {
    const tablesOf = (isMeant: (state: ShapeState) => boolean) =>
      new Set(
        this.#shapes
          .values()
          .filter(isMeant)
          .map(({ first }) => lowerAscii(first.table)),
      );
    const isScan = ({ first: { query } }: ShapeState) =>
      query.class.endsWith('-scan') || query.class === 'partition-range';
    return {
      scanned: tablesOf(isScan),
      numbered: tablesOf(({ first }) => isNumberRange(first.query)),
    };
  }

  clear(): void {
    this.#shapes.clear();
    this.#account = undefined;
  }

  /** Two accounts may have tables of the same name. The first one needs no longer keys, so that most servers pay nothing. */
  #keyOf({ account, shape }: ObservedQuery): string {
    this.#account ??= account;
    return account === this.#account ? shape : `${account}\n${shape}`;
  }
}

/** Whether a range of rows begins or ends at a number, rather than with a prefix, so that the order of the numbers counts. */
function isNumberRange({ class: name, reads }: ShapeState['first']['query']): boolean {
  const endsInNumber = (cut: KeyCut | undefined) => lengthOfNumber(cut?.rowKey ?? '') > 0;
  return name === 'row-range' && (endsInNumber(reads?.from) || endsInNumber(reads?.to));
}

function newState(page: ObservedQuery): ShapeState {
  const { account, table, shape, query, requestId, hasSelect, hasTop } = page;
  const filter = page.readFilter();
  return {
    first: {
      ...{ account, table: shownText(table), shape: shownText(shape), requestId, hasSelect, hasTop },
      query: { ...query, reads: query.reads && ownRange(query.reads) },
    },
    example: shownText(filter.slice(0, exampleUnitsMax)),
    isWhole: filter.length <= exampleUnitsMax,
    rewritten: rewrite(page),
    marks: new Set(),
    tokens: new OpenTokens(),
    worst: { requestId, read: -1 },
    ...{ calls: 0, read: 0, returned: 0, bytes: 0, comparisons: 0, readByQuery: 0, readByQueryMax: 0 },
    ...{ partition: undefined, listings: 0, walks: 0, fullPages: 0 },
  };
}

function ownRange({ from, to }: KeyRange): KeyRange {
  return { ...(from && { from: ownCut(from) }), ...(to && { to: ownCut(to) }) };
}

function ownCut({ partitionKey, rowKey, side }: KeyCut): KeyCut {
  return { partitionKey: ownText(partitionKey), ...(rowKey !== undefined && { rowKey: ownText(rowKey) }), side };
}

function rewrite(page: ObservedQuery): readonly string[] {
  const filters = page.rewrite();
  return filters.some(({ length }) => length > exampleUnitsMax) ? [] : filters.map(shownText);
}

/** A client that asks for a number of entities need not ask for more. */
function countTokens({ tokens }: ShapeState, { startRow, continues, hasTop, at, returned }: ObservedQuery): void {
  if (hasTop) return;
  if (startRow !== undefined) tokens.use();
  if (continues) tokens.open(at, returned === 0);
}

function countListing(state: ShapeState, { query, read, returned, bytes, continues, hasTop }: ObservedQuery): void {
  const { seriesEntitiesMin, seriesEntitiesMax, seriesEntityBytes } = thresholds;
  if (read !== returned || read < seriesEntitiesMin || read > seriesEntitiesMax || continues || hasTop) return;
  if (bytes / returned >= seriesEntityBytes || (query.class !== 'partition-scan' && query.class !== 'row-range'))
    return;
  const partition = query.reads?.from?.partitionKey;
  if (partition === undefined) return;
  state.partition ??= ownText(partition);
  if (state.partition === partition) state.listings++;
}

/** A query with bounds of the RowKey is a row range. The last token has a RowKey of the partition. */
function countWalk(state: ShapeState, { query, continues, startRow }: ObservedQuery): void {
  if (continues || startRow === undefined || query.class !== 'partition-scan') return;
  if (state.readByQuery >= thresholds.walkRead && isTimeKey(startRow)) state.walks++;
}
