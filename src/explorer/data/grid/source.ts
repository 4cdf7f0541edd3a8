import { computed } from '@preact/signals';
import { idOf, propertyOf } from '../../base/entity.js';
import { shownValue, typeMarks, type Value } from '../../base/value.js';
import { mayEdit } from '../../model/identities.js';
import { type GridColumn, type GridSource, pick } from '../../parts/grid/source.js';
import { type Column, columns, setHidden, setWidth } from '../columns.js';
import { askToDelete } from '../dialogs/open-dialog.js';
import { flashes, news } from '../live/news.js';
import { openEntity } from '../panel/panel-state.js';
import { hasMore, isPaused, loadedEntities, progress, readMore, revision, rowAt } from '../rows.js';
import { table } from '../tables.js';
import { selectedCount, state } from './state.js';

/** The entities of the query, for the grid. */
export const source = computed<GridSource>(() => {
  void revision.value;
  const isMixed = new Set(columns.value.filter(({ types }) => types.length > 1).map(({ name }) => name));
  return {
    label: `Entities of ${table.value}`,
    columns: columns.value.map(gridColumn),
    count: progress.value.returned,
    isWhole: !hasMore.value,
    state: state.value,
    canPick: true,
    idAt(row) {
      const entity = rowAt(row);
      return entity && idOf(entity);
    },
    cell(row, { id: name }) {
      const entity = rowAt(row);
      const value = entity && propertyOf(entity, name);
      if (!value)
        return { text: entity ? '—' : '…', whole: '', kind: 'faint', ...(entity && { label: 'no such property' }) };
      const isFlashing = flashes.value.get(idOf(entity))?.has(name);
      return {
        text: shownValue(value),
        whole: value.text,
        kind: `${kindOf(value)}${isFlashing ? ' flash' : ''}`,
        ...(isMixed.has(name) && { mark: typeMarks[value.type] }),
      };
    },
    rowClass(row) {
      const entity = rowAt(row);
      return entity && news.value.gone.has(idOf(entity)) ? 'gone' : '';
    },
    nearEnd() {
      if (hasMore.value && !isPaused.value && progress.value.status === 'idle') void readMore();
    },
    open(row, { id: name }) {
      const entity = rowAt(row);
      if (entity) openEntity(entity, name);
    },
    key,
    setWidth,
  };
});

function gridColumn({ name, types, filled, width, isFrozen }: Column): GridColumn {
  const read = loadedEntities.value.length.toLocaleString('en');
  const share = filled > 0 ? ` · in ${filled.toLocaleString('en')} of ${read}` : '';
  return {
    ...{ id: name, width, isFrozen, mark: types.map((type) => typeMarks[type]).join(' ') },
    title: `${name} · ${types.map((type) => type.slice(4)).join(', ')}${share}`,
  };
}

/** Returns the classes of a cell by its value. */
function kindOf({ type, text }: Value): string {
  if (text === '') return 'faint blank';
  if (type === 'Edm.String' || type === 'Edm.Boolean') return '';
  return type === 'Edm.DateTime' || type === 'Edm.Guid' ? 'code' : 'code number';
}

function key(event: KeyboardEvent, row: number, { id: name }: GridColumn): boolean {
  if (event.key === 'F2') {
    const entity = rowAt(row);
    if (entity) openEntity(entity, name);
    return entity !== undefined;
  }
  if (event.key !== 'Delete') return false;
  if (row < 0) {
    if (name === 'PartitionKey' || name === 'RowKey') return false;
    setHidden(name, true);
    return true;
  }
  if (!mayEdit.value) return false;
  if (selectedCount.value === 0) pick(source.value, row);
  askToDelete('selection');
  return true;
}
