import { batch } from '@preact/signals';
import { isPropertyName } from '../../../protocol/names.js';
import { idOf } from '../../base/entity.js';
import { readTabText } from '../../base/tab-text.js';
import { announce, showError } from '../../model/notices.js';
import { type GridSource, rangeOf, rangeRows } from '../../parts/grid/source.js';
import { countOf } from '../../parts/list.js';
import { entityAt, stageAll, stageNew, typeAt, valueAt } from './entity-rows.js';

/**
 * Takes pasted cells as drafts. A first row with names says which columns they are for, otherwise they are for those from the active cell on.
 * Rows with keys are for their entities, and rows without an entity are new ones. A RowKey alone is one of the partition in its place. A
 * single value is for the whole range.
 */
export function paste({ state, columns, count }: GridSource, text: string): void {
  const { left, right, ...range } = rangeOf(state);
  // At the header there is no entity to change.
  const top = state.active.value.row < 0 ? count : range.top;
  const ids = columns.map(({ id }) => id);
  const [first = [], ...others] = readTabText(text);
  const isNamed =
    others.length > 0 &&
    new Set(first).size === first.length &&
    first.every((name) => isPropertyName(name)) &&
    first.some((name) => ids.includes(name));
  const [names, rows] = isNamed ? [first, others] : [ids.slice(left), [first, ...others]];
  const [partition, key] = [names.indexOf('PartitionKey'), names.indexOf('RowKey')];
  const known = new Map(
    Array.from({ length: count }, (_, row) => [entityAt(row), row] as const).flatMap(([entity, row]) =>
      entity ? [[idOf(entity), row] as const] : [],
    ),
  );
  const rowOf = (cells: readonly string[], at: number) => {
    const here = partition < 0 ? entityAt(top + at)?.partitionKey : '';
    if (key < 0 || here === undefined) return top + at;
    return known.get(idOf({ partitionKey: cells[partition] ?? here, rowKey: cells[key] ?? '' }));
  };
  const isSingle = !isNamed && others.length === 0 && first.length === 1 && top < count;
  batch(() => {
    if (isSingle) {
      for (const row of rangeRows(state)) for (const name of ids.slice(left, right + 1)) put(row, name, first[0] ?? '');
      return;
    }
    const targets = rows.map((cells, at) => ({ cells, row: rowOf(cells, at) ?? count }));
    for (const { cells, row } of targets.filter((one) => one.row < count)) {
      for (const [at, name] of names.slice(0, cells.length).entries()) put(row, name, cells[at] ?? '');
    }
    // New rows are above the others, which move.
    for (const { cells } of targets.filter(({ row }) => row >= count)) stageNew(names, cells);
  });
  const lost = rows.flatMap((cells) => cells.slice(names.length)).length;
  if (lost > 0) showError(`${countOf(lost, 'cell is', 'cells are')} not pasted: there are no more columns.`);
  announce(`${countOf(rows.length, 'row', 'rows')} pasted, not saved`);
}

/** Changes a cell. An empty text empties a text, and leaves another value as it is. */
function put(row: number, name: string, text: string): void {
  if (text === '' && valueAt(row, name)?.type !== 'Edm.String') return;
  stageAll([row], name, { type: typeAt(row, name), text });
}
