import { type Finding, type FindingFacts, findingOf } from '../finding.js';
import type { Severity } from '../rule.js';
import type { RuleId } from '../rules.js';
import { thresholds } from '../thresholds.js';
import type { ShapeState } from './query-shapes.js';

/** What the judgement of a shape depends on besides its counts. */
export interface ShapeContext {
  /** Milliseconds since 1970; infinite if no more requests come. */
  readonly now: number;
  /** Returns whether the entities of a table look like a series of values. */
  hasSeries(table: string): boolean;
}

/** Returns how bad it is, or undefined if the rule does not apply. */
type JudgeShape = (state: ShapeState, context: ShapeContext) => Severity | undefined;

/** The rules about queries that were answered. R6 is about queries that are refused. */
const judgements: readonly (readonly [RuleId, JudgeShape])[] = [
  ['R1', judgeTableScan],
  ['R2', judgeDensity],
  ['R3', ({ first }) => (first.query.flags.includes('or-keys') ? 'warn' : undefined)],
  ['R4', judgeUnequalKey],
  ['R5', ({ first }) => (first.query.flags.includes('rowkey-only') ? 'warn' : undefined)],
  ['R7', (state) => (needsProjection(state) ? 'info' : undefined)],
  ['R11', (state) => (isWalked(state) ? 'info' : undefined)],
  [
    'R17',
    ({ listings, first }, { hasSeries }) =>
      listings >= thresholds.seriesReads && hasSeries(first.table) ? 'info' : undefined,
  ],
  ['R21', ({ fullPages }) => (fullPages > 0 ? 'info' : undefined)],
  ['R22', ({ comparisons }) => (comparisons > thresholds.comparisonsMax ? 'warn' : undefined)],
  ['R23', judgeTokens],
  ['R24', ({ first }) => (first.query.flags.includes('timestamp-only') ? 'warn' : undefined)],
];

/** The rules that another filter satisfies. */
const isAboutFilter: ReadonlySet<RuleId> = new Set(['R3', 'R4']);

/** Judges one shape by all rules about queries. The order is that of the rules. */
export function judgeShape(state: ShapeState, context: ShapeContext): readonly Finding[] {
  const facts = factsOf(state);
  return judgements.flatMap(([id, judge]) => {
    const severity = judge(state, context);
    if (!severity) return [];
    const { rewritten } = state;
    return [findingOf(id, severity, isAboutFilter.has(id) && rewritten.length > 0 ? { ...facts, rewritten } : facts)];
  });
}

/** Returns whether large partitions are read up to their end, where their newest entities are. */
export function isWalked({ walks }: ShapeState): boolean {
  return walks >= thresholds.walks;
}

function judgeTableScan(state: ShapeState): Severity | undefined {
  const { first, read: readByAll, returned } = state;
  const { class: name, flags } = first.query;
  // A query for the first entities, whichever they are, reads no others. A program that goes on to all of them reads more.
  const isHead = first.hasTop && readByAll === returned && state.readByQueryMax < thresholds.tableScanWarn;
  if (name !== 'table-scan' || isLookup(state) || flags.includes('top1') || isHead) return undefined;
  const read = state.readByQueryMax;
  if (read >= thresholds.tableScanSerious) return 'serious';
  if (read >= thresholds.tableScanWarn) return 'warn';
  // A rule that names the fault of the filter says more than that the table is read.
  const isKeyFault = ['or-keys', 'ne-keys', 'not-keys', 'rowkey-only', 'timestamp-only'] as const;
  return isKeyFault.some((flag) => flags.includes(flag)) ? undefined : 'info';
}

/** Whether a small table is read whole, and seldom: a client may keep it. */
function isLookup({ first, calls, readByQueryMax, lastAt }: ShapeState): boolean {
  if (!first.query.flags.includes('unfiltered') || readByQueryMax > thresholds.tableScanWarn) return false;
  return calls <= 1 + ((lastAt - first.at) / 60_000) * thresholds.lookupReadsPerMinute;
}

function judgeDensity({ first, calls, read, returned }: ShapeState): Severity | undefined {
  const { class: name } = first.query;
  if (name !== 'partition-scan' && name !== 'partition-range') return undefined;
  if (calls < thresholds.densityCallsMin || read / calls < thresholds.densityReadMin) return undefined;
  const density = returned / read;
  if (density > thresholds.densityWarn) return undefined;
  return density <= thresholds.densitySerious ? 'serious' : 'warn';
}

function judgeUnequalKey({ first, readByQueryMax }: ShapeState): Severity | undefined {
  const { class: name, flags } = first.query;
  if (!flags.includes('ne-keys') && !flags.includes('not-keys')) return undefined;
  return name === 'partition-scan' && readByQueryMax <= thresholds.unequalKeyReadMax ? 'info' : 'warn';
}

function needsProjection({ first, calls, returned, bytes }: ShapeState): boolean {
  return (
    !first.hasSelect &&
    bytes >= thresholds.projectionBytes &&
    returned / calls >= thresholds.projectionRows &&
    bytes / returned >= thresholds.projectionRowBytes
  );
}

function judgeTokens({ tokens }: ShapeState, { now }: ShapeContext): Severity | undefined {
  const ignored = tokens.ignoredAt(now);
  if (ignored.ofEmptyPages > 0) return 'serious';
  return ignored.tokens >= thresholds.ignoredTokens ? 'warn' : undefined;
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
