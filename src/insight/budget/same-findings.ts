import { lowerAscii } from '../../protocol/names.js';
import type { Finding } from '../finding.js';
import type { ShapeUsage } from '../shapes/query-shapes.js';

type Counted = Pick<Finding, 'account' | 'table' | 'shape' | 'calls' | 'read' | 'returned' | 'marks'>;

/** How many marks a merged finding keeps. Ours. */
const marksMax = 8;

/** A decimal or hexadecimal number, or a UUID without hyphens, as test runs append to the names of their tables. */
const generated = /[0-9a-f]*[0-9][0-9a-f]*/g;

/** Returns the name of a table, or the shape of a query, which begins with one, without what a test run generates. */
export function stemOf(text: string): string {
  return text.replace(/^\S+/, (name) => lowerAscii(name).replace(generated, '#'));
}

function keyOf({ account, table, shape }: Counted): string {
  return `${account}\n${stemOf(table)}\n${stemOf(shape)}`;
}

/**
 * Merges findings of a rule that differ only in generated parts of the names of their tables. Each keeps the name and the
 * severity of the first one.
 */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  return merge(
    findings,
    (one) => `${one.rule}\n${keyOf(one)}`,
    () => ({}),
  );
}

/** Merges the costs of queries that differ only in generated parts of the names of their tables. */
export function mergeUsages(usages: readonly ShapeUsage[]): readonly ShapeUsage[] {
  return merge(usages, keyOf, (sum, one) => ({ sparseCalls: sum.sparseCalls + one.sparseCalls }));
}

function merge<One extends Counted>(
  all: readonly One[],
  keyOfOne: (one: One) => string,
  others: (sum: One, one: One) => Partial<One>,
): readonly One[] {
  const merged = new Map<string, One>();
  for (const one of all) {
    const key = keyOfOne(one);
    const sum = merged.get(key);
    merged.set(
      key,
      sum
        ? {
            ...sum,
            ...others(sum, one),
            ...{ calls: sum.calls + one.calls, read: sum.read + one.read, returned: sum.returned + one.returned },
            marks: [...new Set([...sum.marks, ...one.marks])].slice(0, marksMax),
          }
        : one,
    );
  }
  return [...merged.values()];
}
