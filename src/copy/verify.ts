import type { EntityKey } from '../entity/stored/entity.js';
import type { Difference } from './contract.js';
import { CopyFault, type Range, type ReadWish, type Source } from './ends/end.js';
import type { ChangeRow } from './rows/change-row.js';
import type { Row } from './rows/row.js';
import {
  addSum,
  canonicalParts,
  emptySum,
  hashRow,
  isSameEntity,
  type Lanes,
  type Sum,
  sumText,
} from './rows/sum-rows.js';

/** One side of a comparison. */
export interface Side {
  readonly source: Pick<Source, 'pages'>;
  readonly table: string;
  readonly wish: ReadWish;
  readonly change: ChangeRow;
  /** Called with the number of rows of each page. */
  readonly onRows: (rows: number) => void;
}

/** Returns a source whose missing tables are empty. */
export function emptyIfMissing(source: Source): Pick<Source, 'pages' | 'splits'> {
  return {
    splits: source.splits,
    async *pages(...wish) {
      try {
        yield* source.pages(...wish);
      } catch (error) {
        if (!(error instanceof CopyFault && error.isMissing)) throw error;
      }
    },
  };
}

/** Sums the rows of a table. `ranges` cover it, and `readers` of them are read at the same time. Errors: CopyFault. */
export async function sumTable(side: Side, ranges: readonly Range[], readers: number): Promise<Sum> {
  const sum = emptySum();
  const queue = [...ranges];
  const work = async () => {
    for (let range = queue.shift(); range; range = queue.shift())
      for await (const row of rowsOf(side, range)) addSum(sum, hashRow(row));
  };
  const results = await Promise.allSettled(Array.from({ length: readers }, work));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return sum;
}

/** Number of groups in which rows are compared, by a hash of their keys. (Our choice: a group of a million rows has 250.) */
const groupCount = 4096;

/** Most differences in a report. */
export const listedMax = 1000;

/**
 * Finds the entities that differ, without keeping a table in memory: first the groups of keys that differ, then their rows. `isMerged`:
 * the other side may have more properties. Errors: CopyFault.
 */
export async function compareTables(
  one: Side,
  other: Side,
  isMerged: boolean,
): Promise<Readonly<Record<Difference['kind'], number>> & { readonly first: readonly Difference[] }> {
  const [a, b] = await Promise.all([groupSums(one), groupSums(other)]);
  const differing = new Set(Array.from({ length: groupCount }, (_, at) => at).filter((at) => a[at] !== b[at]));
  const wanted = new Map<string, Row>();
  for await (const row of rowsOf(one)) if (differing.has(groupOf(row))) wanted.set(idOf(row), row);
  const first: Difference[] = [];
  const counts = { missing: 0, extra: 0, different: 0 };
  const add = (kind: Difference['kind'], { partitionKey, rowKey }: EntityKey) => {
    counts[kind]++;
    // Each kind has its own part of the list: extra entities do not count in a table that had some.
    if (counts[kind] <= listedMax) first.push({ table: other.table, kind, partitionKey, rowKey });
  };
  for await (const row of rowsOf(other)) {
    if (!differing.has(groupOf(row))) continue;
    const match = wanted.get(idOf(row));
    wanted.delete(idOf(row));
    if (!match) add('extra', row);
    else if (!isSameEntity(match.text, row.text) && !(isMerged && contains(row, match))) add('different', row);
  }
  for (const row of wanted.values()) add('missing', row);
  return { ...counts, first };
}

async function groupSums(side: Side): Promise<string[]> {
  const sums = Array.from({ length: groupCount }, emptySum);
  for await (const row of rowsOf(side)) addSum(sums[groupOf(row)] as Sum, hashRow(row) as Lanes);
  return sums.map(sumText);
}

/** Whether a row has all properties of another one. */
function contains({ text }: Row, part: Row): boolean {
  const all = new Set(canonicalParts(text));
  return canonicalParts(part.text).every((one) => all.has(one));
}

async function* rowsOf({ source, table, wish, change, onRows }: Side, range: Range = {}): AsyncGenerator<Row> {
  for await (const { rows } of source.pages(table, range, wish)) {
    for (const found of rows) {
      const row = change(found);
      if (row) yield row;
    }
    onRows(rows.length);
  }
}

function idOf({ partitionKey, rowKey }: EntityKey): string {
  return JSON.stringify([partitionKey, rowKey]);
}

function groupOf(key: EntityKey): number {
  const text = idOf(key);
  let hash = 17;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0) % groupCount;
}
