import type { EntityKey } from '../../entity/stored/entity.js';

/** Writes a string for `$filter`. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The beginning of a range. */
export interface Low {
  readonly key: EntityKey;
  readonly isIncluded: boolean;
}

/**
 * Returns the filters that find, one after the other, the entities from a key to another one, which is excluded. None has an `or`, for
 * which the service would scan the whole table.
 */
export function rangeFilters(low: Low | undefined, before: EntityKey | undefined): readonly string[] {
  const [p, q] = [low && literal(low.key.partitionKey), before && literal(before.partitionKey)];
  const isWhole = low?.isIncluded === true && low.key.rowKey === '';
  const inFirst = low && `PartitionKey eq ${p} and RowKey ${low.isIncluded ? 'ge' : 'gt'} ${literal(low.key.rowKey)}`;
  if (low && before && low.key.partitionKey === before.partitionKey)
    return [`${inFirst} and RowKey lt ${literal(before.rowKey)}`];
  const from = low && `PartitionKey ${isWhole ? 'ge' : 'gt'} ${p}`;
  const between = [from, before && `PartitionKey lt ${q}`].filter((part) => part !== undefined).join(' and ');
  return [
    ...(inFirst !== undefined && !isWhole ? [inFirst] : []),
    between,
    ...(before && before.rowKey !== '' ? [`PartitionKey eq ${q} and RowKey lt ${literal(before.rowKey)}`] : []),
  ];
}

/**
 * Returns a key that halves the rest of a range after a key, if there is one. `first` returns the first key that a filter finds.
 */
export async function middleKey(
  { partitionKey, rowKey }: EntityKey,
  before: EntityKey | undefined,
  first: (filter: string) => Promise<EntityKey | undefined>,
): Promise<EntityKey | undefined> {
  const isOne = before?.partitionKey === partitionKey;
  if (!isOne) {
    const end = before === undefined ? '' : ` and PartitionKey lt ${literal(before.partitionKey)}`;
    const ask = async (at: string) => (await first(`PartitionKey ge ${literal(at)}${end}`))?.partitionKey;
    const middle = await findMiddle(partitionKey, ask);
    if (middle !== undefined && middle > partitionKey && middle.isWellFormed())
      return { partitionKey: middle, rowKey: '' };
  }
  const end = isOne && before.rowKey !== '' ? ` and RowKey lt ${literal(before.rowKey)}` : '';
  const inPartition = `PartitionKey eq ${literal(partitionKey)} and RowKey ge `;
  const middle = await findMiddle(rowKey, async (at) => (await first(inPartition + literal(at) + end))?.rowKey);
  return middle !== undefined && middle > rowKey && middle.isWellFormed()
    ? { partitionKey, rowKey: middle }
    : undefined;
}

/** Returns the first key of a range that is not before a text, if there is one. */
export type Probe = (atLeast: string) => Promise<string | undefined>;

/**
 * Finds a key in the middle of those after `low` with about a dozen probes: first the common beginning of all later keys, then the
 * characters that follow it, then the middle of these.
 */
export async function findMiddle(low: string, ask: Probe): Promise<string | undefined> {
  // A URL cannot have half of a surrogate pair. Only the balance of the parts depends on the probe: every key that it finds exists.
  const probe: Probe = (text) => ask(text.isWellFormed() ? text : text.toWellFormed().replace(/\ufffd.*$/su, '\ue000'));
  let [least, most] = [0, low.length];
  // The shortest beginning of `low` after whose texts there are keys.
  while (least < most) {
    const length = (least + most) >> 1;
    const next = successor(low.slice(0, length + 1));
    if (next !== undefined && (await probe(next)) !== undefined) most = length;
    else least = length + 1;
  }
  const shared = low.slice(0, least);
  const first = least < low.length ? low.charCodeAt(least) : 0x1f;
  let [from, to] = [first + 1, first < 0x7f ? 0x7f : 0xffff];
  if (first < 0x7f && (await probe(shared + character(0x80))) !== undefined) to = 0xffff;
  // The last character that keys have there.
  while (from < to) {
    const code = (from + to + 1) >> 1;
    if ((await probe(shared + character(code))) !== undefined) from = code;
    else to = code - 1;
  }
  return probe(shared + character((first + 1 + from + 1) >> 1));
}

/** Returns the first text after all that begin with a text. */
function successor(text: string): string | undefined {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xffff ? undefined : text.slice(0, -1) + character(last + 1);
}

function character(code: number): string {
  return String.fromCharCode(code >= 0xd800 && code <= 0xdfff ? 0xe000 : code);
}
