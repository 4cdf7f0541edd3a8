import type { EdmType } from '../../../protocol/values/edm.js';
import type { Comparison, Filter } from '../../../query/filter/filter.js';
import { printLiteral } from '../../../query/filter/print-filter.js';
import { BoundedMap } from '../../../remembered.js';
import { judgeQuery, type QueryFault } from '../../queries/judge-query.js';
import type { QueryClass } from '../../queries/query-classes.js';
import type { Severity } from '../../rules/rule.js';
import type { CauseName } from '../../rules/rules.js';
import { thresholds } from '../../rules/thresholds.js';
import { filterTree } from '../../why/filter/judge-filter.js';
import { type Finding, type FindingFacts, findingOf, shownText } from '../finding.js';
import type { ObservedQuery } from '../observation.js';

/** Maximum number of shapes, and of marks per shape. (Our choice: a program has some dozens.) */
const shapesMax = 512;
const marksMax = 8;

/** Longest filter in a finding. Unit: UTF-16 code units. */
const exampleUnitsMax = 300;

/** The counts of one shape. */
export interface ShapeState {
  /** The first query, without secrets. Nothing else of its request is retained. */
  readonly first: Pick<ObservedQuery, 'account' | 'table' | 'shape' | 'requestId' | 'hasSelect' | 'hasTop'> & {
    readonly query: Pick<ObservedQuery['query'], 'class' | 'flags'>;
  };
  /** The filter of the first query, without a signature. */
  readonly example: string;
  /** Whether `example` is the whole filter. */
  readonly isWhole: boolean;
  /** The filters to send instead; empty if none are known. */
  readonly rewritten: readonly string[];
  readonly marks: Set<string>;
  readonly tokens: OpenTokens;
  worst: { readonly requestId: string; readonly read: number };
  calls: number;
  read: number;
  returned: number;
  bytes: number;
  comparisons: number;
  /** Entities read by the current query on its pages so far, and the maximum of one query. */
  readByQuery: number;
  readByQueryMax: number;
  /** Large pages with full metadata. */
  fullPages: number;
}

/** The cost of the queries of one shape. */
export interface ShapeUsage {
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
  /** The account of the first query, usually the only one. */
  #account: string | undefined;

  /** How many shapes were dropped because there were too many. */
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
  }

  findings(context: ShapeContext): readonly Finding[] {
    return this.#shapes.values().flatMap((state) => judgeShape(state, context));
  }

  usages(): readonly ShapeUsage[] {
    return this.#shapes
      .values()
      .map(({ first: { account, table, shape, query, requestId }, calls, read, returned, marks }) => ({
        ...{ account, table, shape, class: query.class, calls, read, returned, firstRequest: requestId },
        marks: [...marks],
      }))
      .sort((a, b) => b.read - a.read || (a.shape < b.shape ? -1 : 1));
  }

  clear(): void {
    this.#shapes.clear();
    this.#account = undefined;
  }

  /** Two accounts may have tables of the same name. The first account keeps short keys, so most servers pay nothing. */
  #keyOf({ account, shape }: ObservedQuery): string {
    this.#account ??= account;
    return account === this.#account ? shape : `${account}\n${shape}`;
  }
}

function newState(page: ObservedQuery): ShapeState {
  const { account, table, shape, query, requestId, hasSelect, hasTop } = page;
  const filter = page.readFilter();
  return {
    first: {
      ...{ account, table: shownText(table), shape: shownText(shape), requestId, hasSelect, hasTop },
      query: { class: query.class, flags: query.flags },
    },
    example: shownText(filter.slice(0, exampleUnitsMax)),
    isWhole: filter.length <= exampleUnitsMax,
    rewritten: rewrite(page),
    marks: new Set(),
    tokens: new OpenTokens(),
    worst: { requestId, read: -1 },
    ...{ calls: 0, read: 0, returned: 0, bytes: 0, comparisons: 0, readByQuery: 0, readByQueryMax: 0 },
    fullPages: 0,
  };
}

function rewrite(page: ObservedQuery): readonly string[] {
  const filters = page.rewrite();
  return filters.some(({ length }) => length > exampleUnitsMax) ? [] : filters.map(shownText);
}

/** A client that limits a query with `$top` need not continue it. */
function countTokens({ tokens }: ShapeState, { startRow, continues, hasTop, at, returned }: ObservedQuery): void {
  if (hasTop) return;
  if (startRow !== undefined) tokens.use();
  if (continues) tokens.open(at, returned === 0);
}

/** How many unused tokens of a shape are tracked. (Our choice: three make a finding.) */
const openMax = 16;

/** The unused continuation tokens of one shape. */
class OpenTokens {
  readonly #open: { readonly at: number; readonly isEmpty: boolean }[] = [];

  /** Adds the token of an answer. `at` is in milliseconds; `isEmpty` means a page without entities. */
  open(at: number, isEmpty: boolean): void {
    if (this.#open.length >= openMax) this.#open.shift();
    this.#open.push({ at, isEmpty });
  }

  /** Removes the newest token, because clients usually use that one. The used token is not known. */
  use(): void {
    this.#open.pop();
  }

  /** Counts the tokens that are old enough at a time to be considered ignored. */
  ignoredAt(now: number): { readonly tokens: number; readonly ofEmptyPages: number } {
    const ignored = this.#open.filter(({ at }) => now - at >= thresholds.tokenMs);
    return { tokens: ignored.length, ofEmptyPages: ignored.filter(({ isEmpty }) => isEmpty).length };
  }
}

interface ShapeContext {
  /** Milliseconds since 1970; infinite if no more requests come. */
  readonly now: number;
  /** Returns the types of the properties of a table, as far as writes have shown them. */
  typesIn(account: string, table: string): TypesOf;
}

/** The faults that an equivalent set of filters avoids. */
const isRewritable: ReadonlySet<QueryFault> = new Set([
  'table-scan/or-keys',
  'table-scan/unequal-key',
  'partition-scan/or-keys',
  'partition-scan/unequal-key',
]);

/** Judges one shape by all rules about queries. Its form decides the finding; its counts decide the severity. */
function judgeShape(state: ShapeState, context: ShapeContext): readonly Finding[] {
  const facts = factsOf(state);
  const { first, rewritten } = state;
  const fault = judgeQuery(first.query, first.hasTop && state.readByQueryMax < thresholds.tableScanWarn);
  const ofForm = fault && [
    findingOf(fault, severityOf(fault, state), {
      ...facts,
      ...(isRewritable.has(fault) && rewritten.length > 0 && { rewritten }),
    }),
  ];
  return [...(ofForm ?? []), ...judgeTypes(state, context, facts), ...judgeNumbers(state, context, facts)];
}

function severityOf(fault: QueryFault, state: ShapeState): Severity {
  const { first, readByQueryMax: read } = state;
  switch (fault) {
    case 'type-mismatch/key':
    case 'partition-scan/or-keys':
      return 'warn';
    case 'partition-scan/unequal-key':
      return first.query.class === 'partition-scan' && read <= thresholds.unequalKeyReadMax ? 'info' : 'warn';
    case 'partition-scan/range':
    case 'partition-scan/properties-only':
      return severityOfDensity(state);
  }
  if (read >= thresholds.tableScanSerious) return 'serious';
  const isHint = read < thresholds.tableScanWarn && hints.has(fault);
  return isHint ? 'info' : 'warn';
}

/** The scans that suit a small table. A better filter avoids the others. */
const hints: ReadonlySet<QueryFault> = new Set([
  'table-scan/properties-only',
  'table-scan/unfiltered',
  'table-scan/open-keys',
]);

function severityOfDensity({ calls, read, returned }: ShapeState): Severity {
  if (calls < thresholds.densityCallsMin || read / calls < thresholds.densityReadMin) return 'info';
  const density = returned / read;
  if (density > thresholds.densityWarn) return 'info';
  return density <= thresholds.densitySerious ? 'serious' : 'warn';
}

/** A query with results has no type mismatch, regardless of the types in writes. */
function judgeTypes(
  { first, example, isWhole, returned }: ShapeState,
  { typesIn }: ShapeContext,
  facts: FindingFacts,
): readonly Finding[] {
  if (returned > 0 || !isWhole) return [];
  const note = findMismatch(example, typesIn(first.account, first.table));
  return note === undefined ? [] : [findingOf('type-mismatch/property', 'warn', { ...facts, note })];
}

function judgeNumbers(state: ShapeState, { now }: ShapeContext, facts: FindingFacts): readonly Finding[] {
  const { tokens, ofEmptyPages } = state.tokens.ignoredAt(now);
  const causes: readonly (readonly [CauseName, Severity, boolean])[] = [
    ['wide-read/no-select', 'info', needsProjection(state)],
    ['wide-read/full-metadata', 'info', state.fullPages > 0],
    ['near-limit/comparisons', 'warn', state.comparisons > thresholds.comparisonsMax],
    ['ignored-token', ofEmptyPages > 0 ? 'serious' : 'warn', ofEmptyPages > 0 || tokens >= thresholds.ignoredTokens],
  ];
  return causes.flatMap(([name, severity, applies]) => (applies ? [findingOf(name, severity, facts)] : []));
}

function needsProjection({ first, calls, returned, bytes }: ShapeState): boolean {
  return (
    !first.hasSelect &&
    bytes >= thresholds.projectionBytes &&
    returned / calls >= thresholds.projectionRows &&
    bytes / returned >= thresholds.projectionRowBytes
  );
}

function factsOf({ first, example, calls, read, returned, worst, marks }: ShapeState): FindingFacts {
  const { account, table, shape, query, requestId } = first;
  return {
    ...{ account, table, shape, class: query.class, calls, read, returned, firstRequest: requestId },
    worstRequest: worst.requestId,
    marks: [...marks],
    ...(example !== '' && { example }),
  };
}

/** Returns the stored types of a property; empty if unknown. */
export type TypesOf = (property: string) => readonly EdmType[];

/**
 * Describes a comparison that no entity can satisfy, because every entity stores the property in another type. Only comparisons
 * that every result must satisfy count. Different types satisfy `ne`, `lt` and `le`. Source: query 4.
 */
export function findMismatch(text: string, typesOf: TypesOf): string | undefined {
  const filter = filterTree(text);
  for (const { property, operator, literal } of filter ? requiredBy(filter) : []) {
    if (operator !== 'eq' && operator !== 'gt' && operator !== 'ge') continue;
    const stored = typesOf(property);
    if (stored.length === 0 || stored.some((one) => isComparable(literal.type, one))) continue;
    const names = stored.map(shortName).join(' and ');
    return `${property} is stored as ${names}, and ${printLiteral(literal)} is ${shortName(literal.type)}.`;
  }
  return undefined;
}

/** Returns the comparisons that every result must satisfy. */
function requiredBy(filter: Filter): readonly Comparison[] {
  if (filter.kind === 'comparison') return [filter];
  return filter.kind === 'and' ? filter.operands.flatMap(requiredBy) : [];
}

/** Whether a property of a type can equal a constant: numbers are comparable if the constant has the narrower type. */
function isComparable(literal: EdmType, stored: EdmType): boolean {
  if (literal === stored) return true;
  if (literal === 'Edm.Int32') return stored === 'Edm.Int64' || stored === 'Edm.Double';
  return literal === 'Edm.Int64' && stored === 'Edm.Double';
}

/** Returns the name of a type with its article, such as `an Int32`. */
function shortName(type: EdmType): string {
  const name = type.slice('Edm.'.length);
  return /^[AEIO]/.test(name) ? `an ${name}` : `a ${name}`;
}
