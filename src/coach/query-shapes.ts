import { BoundedMap } from './bounded-map.js';
import { type Finding, type FindingFacts, findingOf } from './finding.js';
import type { ObservedQuery } from './observation.js';
import { thresholds } from './thresholds.js';

/** How many shapes are kept, and how many marks of each. Ours: a program has some dozens. */
const shapesMax = 512;
const marksMax = 8;

/** The longest filter that a finding shows. Unit: UTF-16 code units. */
const exampleUnitsMax = 300;

/** What was counted of the queries of one shape. */
interface ShapeState {
  /** Of the first query. Nothing else of its request is kept. */
  readonly first: Pick<ObservedQuery, 'table' | 'shape' | 'query' | 'requestId' | 'at' | 'hasSelect'>;
  /** The filter of the first query. */
  readonly example: string;
  readonly marks: Set<string>;
  worst: { readonly requestId: string; readonly read: number };
  lastAt: number;
  calls: number;
  read: number;
  returned: number;
  bytes: number;
  comparisons: number;
  /** Entities that the current query has read on its pages so far, and the most that one query has read. */
  readByQuery: number;
  readByQueryMax: number;
}

/** Counts queries by shape, and judges each shape by the rules for queries. */
export class QueryShapes {
  readonly #shapes = new BoundedMap<ShapeState>(shapesMax);

  /** How many shapes were forgotten because there were too many. */
  get forgotten(): number {
    return this.#shapes.forgotten;
  }

  observe(page: ObservedQuery): void {
    const state = this.#shapes.use(page.shape, () => newState(page));
    if (!page.isContinuation || state.calls === 0) {
      state.calls++;
      state.readByQuery = 0;
    }
    state.lastAt = page.at;
    state.read += page.read;
    state.returned += page.returned;
    state.bytes += page.bytes;
    state.comparisons = Math.max(state.comparisons, page.comparisons);
    state.readByQuery += page.read;
    if (state.readByQuery > state.readByQueryMax) state.readByQueryMax = state.readByQuery;
    if (page.read > state.worst.read) state.worst = { requestId: page.requestId, read: page.read };
    if (page.mark !== undefined && state.marks.size < marksMax) state.marks.add(page.mark.slice());
  }

  /** Returns the findings about all shapes. */
  findings(): readonly Finding[] {
    return this.#shapes.values().flatMap(judgeShape);
  }

  clear(): void {
    this.#shapes.clear();
  }
}

function newState(page: ObservedQuery): ShapeState {
  const { table, shape, query, requestId, at, hasSelect } = page;
  const first = { table, shape, query, requestId, at, hasSelect };
  return {
    first,
    example: page.readFilter().slice(0, exampleUnitsMax),
    marks: new Set(),
    worst: { requestId: first.requestId, read: -1 },
    lastAt: first.at,
    ...{ calls: 0, read: 0, returned: 0, bytes: 0, comparisons: 0, readByQuery: 0, readByQueryMax: 0 },
  };
}

/** Judges one shape. The order is that of the rules. */
function judgeShape(state: ShapeState): readonly Finding[] {
  const { first } = state;
  const { class: name, flags } = first.query;
  const facts = factsOf(state);
  const findings: Finding[] = [];
  const isKeyFault = flags.some((flag) =>
    ['or-keys', 'ne-keys', 'not-keys', 'rowkey-only', 'timestamp-only'].includes(flag),
  );
  if (name === 'table-scan' && !isLookup(state) && !flags.includes('top1')) {
    const read = state.readByQueryMax;
    const severity =
      read >= thresholds.tableScanSerious ? 'serious' : read >= thresholds.tableScanWarn ? 'warn' : 'info';
    // A rule that names the fault of the filter says more than that the table is read.
    if (severity !== 'info' || !isKeyFault) findings.push(findingOf('R1', severity, facts));
  }
  if (name === 'partition-scan' || name === 'partition-range') findings.push(...judgeDensity(state, facts));
  if (flags.includes('or-keys')) findings.push(findingOf('R3', 'warn', facts));
  if (flags.includes('ne-keys') || flags.includes('not-keys')) {
    const isSmall = name === 'partition-scan' && state.readByQueryMax <= thresholds.unequalKeyReadMax;
    findings.push(findingOf('R4', isSmall ? 'info' : 'warn', facts));
  }
  if (flags.includes('rowkey-only')) findings.push(findingOf('R5', 'warn', facts));
  if (needsProjection(state)) findings.push(findingOf('R7', 'info', facts));
  if (state.comparisons > thresholds.comparisonsMax) findings.push(findingOf('R22', 'warn', facts));
  if (flags.includes('timestamp-only')) findings.push(findingOf('R24', 'warn', facts));
  return findings;
}

function judgeDensity({ calls, read, returned }: ShapeState, facts: FindingFacts): readonly Finding[] {
  if (calls < thresholds.densityCallsMin || read / calls < thresholds.densityReadMin) return [];
  const density = returned / read;
  if (density > thresholds.densityWarn) return [];
  return [findingOf('R2', density <= thresholds.densitySerious ? 'serious' : 'warn', facts)];
}

/** Whether a small table is read whole, and seldom: a client may keep it. */
function isLookup({ first, calls, readByQueryMax, lastAt }: ShapeState): boolean {
  if (!first.query.flags.includes('unfiltered') || readByQueryMax > thresholds.tableScanWarn) return false;
  return calls <= 1 + ((lastAt - first.at) / 60_000) * thresholds.lookupReadsPerMinute;
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
  const { table, shape, query, requestId } = first;
  return {
    ...{ table, shape, class: query.class, calls, read, returned, firstRequest: requestId },
    worstRequest: worst.requestId,
    marks: [...marks],
    ...(example !== '' && { example }),
  };
}
