import { computed } from '@preact/signals';
import { isEdmType } from '../../../protocol/values/edm.js';
import { idOf } from '../../base/entity.js';
import { shownValue, typeMarks, type Value } from '../../base/value.js';
import { mayEdit } from '../../model/identities.js';
import { openOver } from '../../model/route.js';
import { isCode } from '../../parts/grid/fit.js';
import { type CellView, type GridColumn, type GridSource, rangeOf, rangeRows } from '../../parts/grid/source.js';
import { type Column, columns, isNarrow, setHidden, setWidth, widthOf } from '../columns.js';
import { deleteEntities } from '../dialogs/questions.js';
import { flashes, news } from '../live/news.js';
import { openEntity } from '../panel/panel-state.js';
import { hasMore, isPaused, loadedEntities, progress, readMore } from '../rows.js';
import { table } from '../tables.js';
import { positions, sortedAs, sortNext } from '../view.js';
import {
  draftAt,
  entityAt,
  faultAt,
  isChanged,
  isEditable,
  isKey,
  rowCount,
  selection,
  stageAll,
  state,
  takeBackCells,
  typeAt,
  valueAt,
} from './entity-rows.js';
import { cellMenu, headerMenu } from './menus.js';
import { paste } from './paste.js';

/** The entities of the query, for the grid. */
export const source = computed<GridSource>(() => {
  // A narrow window has both keys in one column, on two lines.
  const shown = columns.value.filter(({ name }) => !isNarrow.value || name !== 'PartitionKey');
  const mixed = new Set(shown.filter(({ types }) => types.length > 1).map(({ name }) => name));
  const own: GridSource = {
    label: `Entities of ${table.value}`,
    columns: shown.map(gridColumn),
    count: rowCount.value,
    isWhole: !hasMore.value,
    state: state.value,
    cell: (row, { id }) => cellView(row, id, mixed.has(id)),
    rowClass(row) {
      const entity = entityAt(row);
      return entity && news.value.gone.has(idOf(entity)) ? 'gone' : '';
    },
    nearEnd() {
      // A search would read the whole table.
      if (positions.value || !hasMore.value || isPaused.value || progress.value.status !== 'idle') return;
      void readMore();
    },
    open: (row, { id }) => openRow(row, id),
    menu: (row, column) => (row < 0 ? headerMenu(column.id) : cellMenu(own, row, column)),
    key: (event, row, { id }) => (row < 0 ? runHeaderKey(event, id) : mayEdit.value && runKey(event, own, row)),
    edit(row, { id: name }) {
      if (!mayEdit.value || !isEditable(row, name)) return undefined;
      const [value, type] = [valueAt(row, name), typeAt(row, name)];
      return { type, text: value?.text ?? '', isThere: value !== undefined, fault: faultAt(row, name) };
    },
    commit(rows, { id }, value) {
      const typed = value && isEdmType(value.type) ? { type: value.type, text: value.text } : undefined;
      stageAll(rows, id, typed);
    },
    paste: (text) => mayEdit.value && paste(own, text),
    setWidth,
    sort: sortNext,
  };
  return own;
});

function gridColumn({ name, types, filled }: Column): GridColumn {
  const read = loadedEntities.value.length.toLocaleString('en');
  const share = filled > 0 ? ` · in ${filled.toLocaleString('en')} of ${read}` : '';
  return {
    ...{ id: name, width: widthOf(name), isFrozen: !isNarrow.value && isKey(name), sorted: sortedAs(name) },
    ...(!isKey(name) && { mark: types.map((type) => typeMarks[type]).join(' ') }),
    title: `${name} · ${types.map((type) => type.slice(4)).join(', ')}${share}`,
  };
}

function cellView(row: number, name: string, isMixed: boolean): CellView {
  const value = valueAt(row, name);
  const entity = entityAt(row);
  const isFlashing = entity && flashes.value.get(idOf(entity))?.has(name);
  const changed = `${isChanged(row, name) ? (faultAt(row, name) ? ' changed wrong' : ' changed') : ''}${isFlashing ? ' flash' : ''}`;
  if (!value) return { text: '—', whole: '', kind: `faint${changed}`, label: 'no such property' };
  const isRepeated = name === 'PartitionKey' && row > 0 && valueAt(row - 1, name)?.text === value.text;
  return {
    text: shownValue(value),
    whole: value.text,
    kind: `${isRepeated ? 'faint' : kindOf(value)}${changed}`,
    ...(isMixed && { mark: typeMarks[value.type] }),
    ...(isNarrow.value && name === 'RowKey' && { below: valueAt(row, 'PartitionKey')?.text }),
  };
}

/** Returns the classes of a cell by its value. */
function kindOf(value: Value): string {
  if (value.text === '') return 'faint blank';
  if (!isCode(value)) return '';
  return value.type === 'Edm.DateTime' || value.type === 'Edm.Guid' ? 'code' : 'code number';
}

/** Opens the panel of a row. */
function openRow(row: number, name: string): void {
  const [entity, draft] = [entityAt(row), draftAt(row)];
  if (entity) openEntity(entity, name);
  else if (draft) openOver('row', draft.row);
}

function runHeaderKey({ key }: KeyboardEvent, name: string): boolean {
  if (key !== 'Delete' || isKey(name)) return false;
  setHidden(name, true);
  return true;
}

function runKey(event: KeyboardEvent, own: GridSource, row: number): boolean {
  const { left, right } = rangeOf(own.state);
  const names = own.columns.slice(left, right + 1).map(({ id }) => id);
  if ((event.ctrlKey || event.metaKey) && event.key === 'z') takeBackCells(rangeRows(own.state), names);
  else if (event.key === 'Backspace') {
    for (const name of names) if (!isKey(name)) stageAll(rangeRows(own.state), name, undefined);
  } else if (event.key === 'Delete') {
    if (selection.value.length > 0) void deleteEntities('selection');
  } else return false;
  return row >= 0;
}
