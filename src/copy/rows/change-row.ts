import { createHmac } from 'node:crypto';
import { lowerAscii } from '../../protocol/names.js';
import { cutRow } from './cut-rows.js';
import { maskValue } from './mask-value.js';
import { membersOf, type Row, stringOf, typeSuffix, writeMembers } from './row.js';

/** The changes of a copy to rows. Names may be `TABLE.NAME`. */
export interface RowChanges {
  /** The properties to keep beside the keys. Absent: all. */
  readonly select?: readonly string[] | undefined;
  readonly omit: readonly string[];
  readonly mask: readonly string[];
  /** The key of the masks and of the sample. */
  readonly maskKey: string;
  /** The part of the partitions to copy, from 0 to 1. */
  readonly sample: number;
  /** Called with each mask that changes a row. */
  readonly onMask?: ((mask: string) => void) | undefined;
}

/** Returns the changed row; undefined for one that the copy leaves out. */
export type ChangeRow = (row: Row) => Row | undefined;

/** Returns a function that changes the rows of a table. */
export function rowChanger({ select, omit, mask, maskKey, sample, onMask }: RowChanges, table: string): ChangeRow {
  const selected = select && new Set(['PartitionKey', 'RowKey', ...select]);
  const [omitted, masked] = [namesFor(table, omit), namesFor(table, mask)];
  const isPlain = !selected && omitted.size + masked.size === 0;
  if (isPlain && sample >= 1) return (row) => row;
  return (row) => {
    // Every table keeps the same partitions, so rows that belong together stay together.
    if (sample < 1 && fractionOf(row.partitionKey, maskKey) >= sample) return undefined;
    if (isPlain) return row;
    const members = membersOf(row.text);
    const all = new Map(members.map(({ name, value }) => [name, value]));
    const changed = members.flatMap(({ name, value }) => {
      if (name.endsWith(typeSuffix) || omitted.has(name) || selected?.has(name) === false) return [];
      const type = all.get(name + typeSuffix);
      const typed = type === undefined ? [] : [{ name: name + typeSuffix, value: type }];
      const masks = masked.get(name);
      if (!masks) return [...typed, { name, value }];
      for (const one of masks) onMask?.(one);
      return [...typed, { name, value: maskValue(value, type && stringOf(type), maskKey) }];
    });
    return cutRow(writeMembers(changed), 0).row;
  };
}

/** Returns the properties that names mean in a table, with these names. */
function namesFor(table: string, names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of names.filter((one) => namesTable(one, table))) {
    const property = name.slice(name.indexOf('.') + 1);
    found.set(property, [...(found.get(property) ?? []), name]);
  }
  return found;
}

/** Returns whether a name means a property of a table. */
export function namesTable(name: string, table: string): boolean {
  const dot = name.indexOf('.');
  return dot < 0 || lowerAscii(name.slice(0, dot)) === lowerAscii(table);
}

/** Returns the masks that changed no entity, although their tables have some. `filled` names the tables with entities. */
export function unusedMasks(mask: readonly string[], used: ReadonlySet<string>, filled: readonly string[]): string[] {
  return mask.filter((name) => !used.has(name) && filled.some((table) => namesTable(name, table)));
}

/** Returns the note for a mask that changed no entity. */
export function noteOfMask(name: string): string {
  return `--mask ${name} matched no entity. Nothing is masked by it.`;
}

function fractionOf(text: string, key: string): number {
  return createHmac('sha256', key).update(text).digest().readUInt32LE(0) / 2 ** 32;
}
