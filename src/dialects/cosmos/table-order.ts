import { createHash } from 'node:crypto';
import type { Table } from '../../store/store.js';

/** Size of a place, as continuation tokens contain it. Unit: bytes. Source: cosmos 5. */
const placeBytes = 8;

/**
 * Returns the place of a table in lists, in hex digits. Lists follow neither names nor times of creation, but are stable: ours
 * is a hash of the name. Source: cosmos 4.
 */
export function tablePlace(name: string): string {
  return createHash('sha256')
    .update(name, 'utf16le')
    .digest('hex')
    .slice(0, 2 * placeBytes);
}

/** Returns tables in the order of their places. */
export function arrangeTables(tables: readonly Table[]): readonly Table[] {
  return tables
    .map((table) => ({ table, place: tablePlace(table.name) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ table }) => table);
}
