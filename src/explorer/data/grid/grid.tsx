import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { propertyOf } from '../../client/entity.js';
import { mayEdit } from '../../model/identities.js';
import { copyText } from '../../parts/copy.js';
import { columns, setHidden, setWidth } from '../columns.js';
import { askToDelete } from '../dialogs/open-dialog.js';
import { openEntity, takeGridFocus } from '../drawer/drawer-state.js';
import {
  hasMore,
  isPaused,
  loadedEntities,
  progress,
  readMore,
  revision,
  rowAt,
  selectAll,
  selectedCount,
  selection,
  toggleSelected,
} from '../rows.js';
import { table } from '../tables.js';
import { activeCell, moveByKey } from './active-cell.js';
import { GridHeader } from './grid-header.js';
import { GridRow } from './grid-row.js';
import { useVisible } from './virtual.js';

/** Height of a row. Unit: CSS pixels. */
const rowHeight = 30;

/** Width of the column in which rows are selected. Unit: CSS pixels. */
const selectWidth = 36;

/** The entities of the query. Only rows and columns that can be seen are in the document. */
export function Grid() {
  const scroller = useRef<HTMLDivElement>(null);
  void revision.value;
  const { returned } = progress.value;
  const frozen = columns.value.filter(({ isFrozen }) => isFrozen);
  const loose = columns.value.slice(frozen.length);
  const covered = frozen.reduce((sum, { width }) => sum + width, selectWidth);
  const rows = useVisible({
    count: returned,
    size: () => rowHeight,
    covered: rowHeight,
    overscan: 8,
    scroller: () => scroller.current,
  });
  const across = useVisible({
    count: loose.length,
    size: (index) => loose[index]?.width ?? 0,
    isHorizontal: true,
    covered,
    overscan: 2,
    scroller: () => scroller.current,
  });
  const last = rows.items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (!hasMore.value || isPaused.value || progress.value.status !== 'idle') return;
    if (last >= returned - 50) void readMore();
  }, [last, progress.value]);
  useLayoutEffect(() => takeGridFocus(scroller.current), []);
  const { row, column } = activeCell.value;
  useEffect(() => {
    if (row >= 0) rows.reveal(row);
    if (column >= frozen.length) across.reveal(column - frozen.length);
  }, [row, column]);
  const visible = across.items.map(({ index }) => frozen.length + index);
  const before = across.items[0]?.start ?? 0;
  const layout = { frozen: frozen.length, visible, before, width: covered + across.total };
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={`Entities of ${table.value}`}
      aria-multiselectable="true"
      aria-rowcount={hasMore.value ? -1 : returned + 1}
      aria-colcount={columns.value.length + 1}
      aria-activedescendant={returned > 0 ? `cell-${row}-${column}` : undefined}
      onKeyDown={(event) => {
        if (moveByKey(event) || runKey(event)) event.preventDefault();
      }}
    >
      <GridHeader {...layout} />
      <div class="rows" role="rowgroup" style={{ height: `${rows.total}px`, width: `${layout.width}px` }}>
        {rows.items.map(({ index, start }) => (
          <GridRow key={index} row={index} top={start} isSelected={selection.value} {...layout} />
        ))}
      </div>
    </div>
  );
}

/** How much a key changes the width of a column. Unit: CSS pixels. */
const widthStep = 24;

/** Handles a key in the grid. Returns whether it has a meaning there. */
function runKey(event: KeyboardEvent): boolean {
  const { row, column } = activeCell.value;
  const name = columns.value[column]?.name;
  if (name === undefined || event.altKey) return false;
  if (event.ctrlKey || event.metaKey) {
    if (event.key === 'a') selectAll(loadedEntities.value);
    return event.key === 'a' || (event.key === 'c' && copyCell(row, name));
  }
  if (row < 0) return runHeaderKey(event.key, name, columns.value[column]?.width ?? 0);
  const entity = rowAt(row);
  if (!entity) return false;
  switch (event.key) {
    case 'Enter':
    case 'F2':
      openEntity(entity, name);
      return true;
    case ' ':
      toggleSelected(entity);
      return true;
    case 'Delete':
      if (!mayEdit.value) return false;
      if (selectedCount.value === 0) toggleSelected(entity);
      askToDelete('selection');
      return true;
  }
  return false;
}

function runHeaderKey(key: string, name: string, width: number): boolean {
  if (key === '>') setWidth(name, width + widthStep);
  else if (key === '<') setWidth(name, width - widthStep);
  else if (key === 'Delete' && name !== 'PartitionKey' && name !== 'RowKey') setHidden(name, true);
  else return false;
  return true;
}

function copyCell(row: number, name: string): boolean {
  const entity = rowAt(row);
  const value = entity && propertyOf(entity, name);
  if (value) void copyText(value.text, name);
  return value !== undefined;
}
