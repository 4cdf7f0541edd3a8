import { judgeQuery, type QueryFault } from '../../queries/judge-query.js';
import type { Severity } from '../../rules/rule.js';
import type { CauseName } from '../../rules/rules.js';
import { thresholds } from '../../rules/thresholds.js';
import { type Finding, type FindingFacts, findingOf } from '../finding.js';
import { findMismatch, type TypesOf } from './find-mismatch.js';
import type { ShapeState } from './query-shapes.js';

/** What the judgement of a shape depends on besides its counts. */
export interface ShapeContext {
  /** Milliseconds since 1970; infinite if no more requests come. */
  readonly now: number;
  /** Returns the types of the properties of a table, as far as writes have shown them. */
  typesIn(account: string, table: string): TypesOf;
}

/** The faults that other filters, which find the same entities, do not have. */
const isRewritable: ReadonlySet<QueryFault> = new Set([
  'table-scan/or-keys',
  'table-scan/unequal-key',
  'partition-scan/or-keys',
  'partition-scan/unequal-key',
]);

/** Judges one shape by all rules about queries. Its form decides what is found, and numbers how bad that is. */
export function judgeShape(state: ShapeState, context: ShapeContext): readonly Finding[] {
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

/** The scans that are right for a small table. The others have a fault that another filter does not have. */
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

/** A query that has found something compares nothing in vain, whatever the writes have shown. */
function judgeTypes(
  { first, example, isWhole, returned }: ShapeState,
  { typesIn }: ShapeContext,
  facts: FindingFacts,
): readonly Finding[] {
  if (returned > 0 || !isWhole) return [];
  const found = findMismatch(example, typesIn(first.account, first.table));
  return found ? [findingOf('type-mismatch/property', 'warn', { ...facts, ...found })] : [];
}

/** Returns what numbers alone tell. */
function judgeNumbers(state: ShapeState, { now }: ShapeContext, facts: FindingFacts): readonly Finding[] {
  const { tokens, ofEmptyPages } = state.tokens.ignoredAt(now);
  const found: readonly (readonly [CauseName, Severity, boolean])[] = [
    ['wide-read/no-select', 'info', needsProjection(state)],
    ['wide-read/full-metadata', 'info', state.fullPages > 0],
    ['near-limit/comparisons', 'warn', state.comparisons > thresholds.comparisonsMax],
    ['ignored-token', ofEmptyPages > 0 ? 'serious' : 'warn', ofEmptyPages > 0 || tokens >= thresholds.ignoredTokens],
  ];
  return found.flatMap(([name, severity, applies]) => (applies ? [findingOf(name, severity, facts)] : []));
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
