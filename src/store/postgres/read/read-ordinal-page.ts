import { keyOf } from '../../../entity/stored/write-row.js';
import { compileTextTest } from '../../../query/filter/evaluate-filter.js';
import { onlyPartition, singleKeys } from '../../../query/plan/key-ranges.js';
import type { KeyRange } from '../../../query/plan/plan.js';
import { GrowingPage } from '../../growing-page.js';
import { Abandoned } from '../../store.js';
import { keyArray } from '../connection/array-parameters.js';
import { encodeKey, encodeRange } from '../schema/keys.js';
import type { TableName } from './look-ups.js';
import { fill, type PageConnection, type PageRequest, type PageResult, type Row, type RowSource } from './read-page.js';

const firstOrdinal = '0';

/** A larger page may need several statements, and thus a transaction for one snapshot. */
const loneRows = 128;

const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Makes the database read an order from its index, because it may underestimate the size of a table, and sort it. */
export const inOrder = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off';

/**
 * Reads one page of a table in insertion order, from one snapshot. Each of its statements begins with a seek to an ordinal.
 *
 * - Ranges that are single keys: looks up the entities and sorts them.
 * - Ranges of RowKeys in one partition: the database reads the order of the partition, or finds the range and sorts it.
 * - Other ranges in one partition: reads the order of the partition.
 * - Other ranges: reads the order of the table.
 *
 * Errors: Abandoned when the client has disconnected; those of the database client.
 */
export async function readOrdinalPage(
  connection: PageConnection,
  { table, plan, isGone }: PageRequest,
): Promise<PageResult> {
  const { filter, ranges, startAt, rowsMax } = plan;
  const page = new GrowingPage(plan);
  const test = filter && compileTextTest(filter);
  const isWanted = rangeTest(ranges);
  const matches = test && isWanted ? (text: string) => isWanted(text) && test(text) : (test ?? isWanted);
  const from = startAt?.place === undefined ? firstOrdinal : decodeOrdinal(startAt.place);
  const source = new OrderedRows(connection, orderOf(table, ranges), from, matches ? Infinity : rowsMax + 1);
  const { id, next: [, , , ordinal] = [] } = await fill(source, { page, matches, isGone });
  await source.close();
  if (isGone?.()) throw new Abandoned();
  const { next, ...rest } = page.finish();
  if (!next || ordinal === undefined) return { id, page: rest };
  return { id, page: { ...rest, next: { ...next, place: encodeOrdinal(ordinal) } } };
}

/** Reads rows by ordinal, with statements that each begin after the last row. */
class OrderedRows implements RowSource {
  readonly #connection: PageConnection;
  readonly #order: OrderStatement;
  #from: string;
  /** Number of rows that may still be needed. */
  #left: number;
  #isInTransaction = false;
  #isDone = false;

  constructor(connection: PageConnection, order: OrderStatement, from: string, rowsMax: number) {
    this.#connection = connection;
    this.#order = order;
    this.#from = from;
    this.#left = rowsMax;
  }

  async read(rows: number): Promise<readonly Row[]> {
    const wanted = Math.min(rows, this.#left);
    if (this.#isDone || wanted <= 0) return [];
    const { client, within } = this.#connection;
    const { text, values, isSorted } = this.#order;
    if (!this.#isInTransaction && (!isSorted || this.#left > loneRows)) {
      this.#isInTransaction = true;
      await within(client.query(isSorted ? begin : `${begin}; ${inOrder}`));
    }
    const found = await within(client.query({ text, values: [...values, this.#from, wanted], rowMode: 'array' }));
    const list = found.rows as unknown as Row[];
    const last = list.at(-1)?.[3];
    this.#isDone = last == null || list.length < wanted;
    if (last != null) this.#from = String(BigInt(last) + 1n);
    this.#left -= list.length;
    return list;
  }

  async close(): Promise<void> {
    const { client, within } = this.#connection;
    if (this.#isInTransaction) await within(client.query('COMMIT'));
  }
}

/** A statement that reads rows in insertion order. Its last two parameters are the first ordinal and the number of rows. */
interface OrderStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether the database finds the rows by their keys, and may sort them. */
  readonly isSorted: boolean;
}

/**
 * Returns the statement that reads all rows from the first range to the last one. Columns: id of the table, stamp, body, ordinal. A row
 * without a stamp means that the table has no such row.
 */
export function orderOf({ account, name }: TableName, ranges: readonly KeyRange[]): OrderStatement {
  const named = [account, name];
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (!first || !last) return { text: statementOf('false', 2), values: named, isSorted: true };
  const keys = singleKeys(ranges);
  if (keys) {
    const [partitionKeys, rowKeys] = [keys.map((key) => key.partitionKey), keys.map((key) => key.rowKey)];
    const values = [...named, keyArray(partitionKeys), keyArray(rowKeys)];
    return { text: lookUpStatement, values, isSorted: true };
  }
  const [{ from }, { to }] = [encodeRange(first), encodeRange(last)];
  const partition = onlyPartition(ranges);
  if (partition !== undefined) {
    const key = encodeKey(partition);
    if (first.from?.rowKey === undefined && last.to?.rowKey === undefined) {
      return { text: statementOf('pk = $3::bytea', 3), values: [...named, key], isSorted: false };
    }
    const condition = 'pk = $3::bytea AND rk >= $4::bytea AND (pk, rk) < ($5::bytea, $6::bytea)';
    return { text: statementOf(condition, 6), values: [...named, key, from[1], ...to], isSorted: true };
  }
  if (!first.from && !last.to) return { text: statementOf('true', 2), values: named, isSorted: false };
  // No index serves this condition: one on the keys would not return the rows by ordinal.
  const condition = `(pk || ''::bytea, rk) >= ($3::bytea, $4::bytea) AND (pk || ''::bytea, rk) < ($5::bytea, $6::bytea)`;
  return { text: statementOf(condition, 6), values: [...named, ...from, ...to], isSorted: false };
}

function statementOf(condition: string, parameters: number): string {
  return `SELECT t.id, e.ts, e.body, e.place FROM tables t LEFT JOIN LATERAL (
 SELECT ts, body, place FROM entities
 WHERE table_id = t.id AND place >= $${parameters + 1}::bigint AND ${condition}
 ORDER BY place LIMIT $${parameters + 2}::bigint) e ON true
 WHERE t.account = $1 AND t.name_key = $2`;
}

/** Looks up entities by their keys. The inner LIMIT keeps the database from reading all rows of a table. */
const lookUpStatement = `SELECT t.id, e.ts, e.body, e.place FROM tables t LEFT JOIN LATERAL (
 SELECT r.ts, r.body, r.place FROM unnest($3::bytea[], $4::bytea[]) k(pk, rk) CROSS JOIN LATERAL (
   SELECT ts, body, place FROM entities WHERE table_id = t.id AND pk = k.pk AND rk = k.rk LIMIT 1) r
 WHERE r.place >= $5::bigint ORDER BY r.place LIMIT $6::bigint) e ON true
 WHERE t.account = $1 AND t.name_key = $2`;

/** Returns a test whether a range contains a row; undefined if the statement returns no other rows. */
function rangeTest(ranges: readonly KeyRange[]): ((text: string) => boolean) | undefined {
  if (ranges.length <= 1 || singleKeys(ranges)) return undefined;
  const bounds = ranges.map(encodeRange);
  return (text) => {
    const row = [encodeKey(keyOf(text, 'PartitionKey')), encodeKey(keyOf(text, 'RowKey'))] as const;
    // Ranges are disjoint and ascending: finds the first one that does not end before the row.
    let [low, high] = [0, bounds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(bounds[middle]?.to ?? row, row) <= 0) low = middle + 1;
      else high = middle;
    }
    const range = bounds[low];
    return range !== undefined && compare(range.from, row) <= 0;
  };
}

type Keys = readonly [partitionKey: Buffer, rowKey: Buffer];

function compare([a, b]: Keys, [c, d]: Keys): number {
  return Buffer.compare(a, c) || Buffer.compare(b, d);
}

/** Converts an ordinal from decimal digits to the form of `PageStart.place`: 16 hex digits. */
export function encodeOrdinal(ordinal: string): string {
  return BigInt(ordinal).toString(16).padStart(16, '0');
}

/** The maximum `bigint` of the database. */
const largest = 2n ** 63n - 1n;

/** Converts an ordinal from the form of `PageStart.place` to decimal digits. One beyond `bigint` sorts after all rows. */
export function decodeOrdinal(ordinal: string): string {
  const number = BigInt(`0x${ordinal}`);
  return String(number < largest ? number : largest);
}
