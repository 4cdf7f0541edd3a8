import { lowerAscii } from '../../../protocol/names.js';
import { nameOf } from '../../rules/rule.js';
import type { Finding } from '../finding.js';
import type { ShapeUsage } from '../shapes/query-shapes.js';

type Counted = Pick<Finding, 'account' | 'table' | 'shape' | 'calls' | 'read' | 'returned' | 'marks'>;

/** How many marks a merged finding keeps. (Our choice.) */
const marksMax = 8;

/** A decimal or hexadecimal number, or a UUID without hyphens, as test runs append to table names. */
const generated = /[0-9a-f]*[0-9][0-9a-f]*/g;

/** Bounds of recognized times, which exclude most words. Unit: milliseconds since 1970. */
const [since, until] = [Date.UTC(2024), Date.UTC(2034)];

/** Numbers with a few letters between them, as in random base 36. */
const random = /^([a-z])[^#]*#(?:[g-z]{1,4}#)+[g-z]{0,4}$/;

/**
 * Returns a table name, or a query shape with its leading table name, without the parts that test runs generate: `orders#` for
 * `Orders20260131`, `OrdersMi3k9x2a`, and `orders_#` for `orders_7f3a`. A name that ends in random base 36 keeps only its first
 * letter, because the random part has no recognizable start.
 */
export function stemOf(text: string): string {
  return text.replace(/^\S+/, (name) =>
    withoutTime(lowerAscii(name)).replace(generated, '#').replace(/#+/g, '#').replace(random, '$1#'),
  );
}

/** Returns a name without a time in base 36, which has eight digits and a letter after a decimal digit. */
function withoutTime(name: string): string {
  // From the end: the letters before a time and its first digits may look like another time.
  for (let at = name.length - 8; at > 0; at--) {
    const text = name.slice(at, at + 8);
    const time = /^(?=.*\d[a-z])[0-9a-z]+$/.test(text) ? Number.parseInt(text, 36) : 0;
    if (time >= since && time < until) return `${name.slice(0, at)}0${name.slice(at + 8)}`;
  }
  return name;
}

/** Returns a text that is equal for findings that differ only in generated names. */
export function fingerprintOf(finding: Pick<Finding, 'rule' | 'cause' | 'account' | 'table' | 'shape'>): string {
  return [nameOf(finding), finding.account, stemOf(finding.table), stemOf(finding.shape)].join(' ');
}

/** Merges findings that differ only in generated parts of table names. Name and severity are those of the first. */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  return merge(findings, fingerprintOf);
}

/** Merges the costs of queries that differ only in generated parts of table names. */
export function mergeUsages(usages: readonly ShapeUsage[]): readonly ShapeUsage[] {
  return merge(usages, ({ account, table, shape }) => [account, stemOf(table), stemOf(shape)].join(' '));
}

function merge<One extends Counted>(all: readonly One[], keyOf: (one: One) => string): readonly One[] {
  const merged = new Map<string, One>();
  for (const one of all) {
    const key = keyOf(one);
    const sum = merged.get(key) ?? { ...one, calls: 0, read: 0, returned: 0, marks: [] };
    merged.set(key, {
      ...sum,
      ...{ calls: sum.calls + one.calls, read: sum.read + one.read, returned: sum.returned + one.returned },
      marks: [...new Set([...sum.marks, ...one.marks])].slice(0, marksMax),
    });
  }
  return [...merged.values()];
}
