import { lowerAscii } from '../protocol/names.js';
import type { CopyWish } from './contract.js';
import { CopyFault, type SourceTable } from './ends/end.js';
import { namesTable } from './rows/change-row.js';

/**
 * Returns the tables that a wish names, in any letter case; `*` stands for any part of a name. Errors: CopyFault for a name without a
 * table, for a table to rename that is not copied, and for two tables of one name.
 */
export function chooseTables(
  all: readonly SourceTable[],
  { tables, rename }: Pick<CopyWish, 'tables' | 'rename'>,
): readonly SourceTable[] {
  const chosen = new Set<SourceTable>();
  for (const name of tables.length === 0 && all.length > 0 ? ['*'] : tables) {
    const found = all.filter((table) => isChosen(table.name, [name]));
    if (found.length === 0) throw new CopyFault(`There is no table ${name}.`);
    for (const table of found) chosen.add(table);
  }
  const found = all.filter((table) => chosen.has(table));
  const names = found.map(({ name }) => name);
  const missing = [...rename.keys()].find((name) => !names.includes(name));
  if (missing !== undefined) throw new CopyFault(`--rename names the table ${missing}, which is not copied.`);
  const targets = names.map((name) => rename.get(name) ?? name);
  // A service takes names that differ only in letter case for one.
  const lowered = targets.map(lowerAscii);
  const twice = targets.find((name, at) => lowered.indexOf(lowerAscii(name)) !== at);
  if (twice !== undefined) throw new CopyFault(`Two tables would become ${twice}.`);
  return found;
}

/** Returns whether one of some patterns is that of a table, or there are none. */
export function isChosen(table: string, patterns: readonly string[]): boolean {
  const forms = patterns.map((name) =>
    lowerAscii(name)
      .replace(/[^*\w]/g, '\\$&')
      .replaceAll('*', '.*'),
  );
  return forms.length === 0 || new RegExp(`^(?:${forms.join('|')})$`).test(lowerAscii(table));
}

/** Errors: CopyFault for a property to mask or to omit of a table that is not copied. */
export function checkTablesOfProperties(tables: readonly SourceTable[], wish: Pick<CopyWish, 'mask' | 'omit'>): void {
  for (const option of ['mask', 'omit'] as const) {
    const lost = wish[option].find((name) => !tables.some((table) => namesTable(name, table.name)));
    if (lost?.includes('.')) throw new CopyFault(`--${option} names ${lost}, but that table is not copied.`);
  }
}
