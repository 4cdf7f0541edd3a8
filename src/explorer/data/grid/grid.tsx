import { signal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { propertyOf } from '../../base/entity.js';
import { typeMarks } from '../../base/value.js';
import { mayEdit } from '../../model/identities.js';
import { copyText } from '../../parts/copy.js';
import { type Column, columns, setHidden, setWidth } from '../columns.js';
import { askToDelete } from '../dialogs/open-dialog.js';
import { openEntity, takeGridFocus } from '../panel/panel-state.js';
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
import { activeCell, goToCell, moveByKey } from './active-cell.js';
import { type GridLayout, GridRow, leftOf } from './grid-row.js';

/** Height of a row. Unit: CSS pixels. */
const rowHeight = 30;

/** Width of the column in which rows are selected. Unit: CSS pixels. */
const selectWidth = 36;

/** The entities of the query. Only visible rows and columns are in the document. */
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

/** Handles a key in the grid. Returns whether it was handled. */
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

/** The row with the names and the types of the columns. */
function GridHeader(layout: GridLayout) {
  return (
    <div class="head" role="rowgroup" style={{ width: `${layout.width}px` }}>
      <div class="row" role="row" aria-rowindex={1}>
        <div class="cell select" role="columnheader" aria-colindex={1} aria-label="Selected" />
        {columns.value.slice(0, layout.frozen).map((column, at) => (
          <Head key={column.name} column={column} at={at} left={leftOf(at)} />
        ))}
        <div class="gap" role="presentation" style={{ width: `${layout.before}px` }} />
        {layout.visible.map((at) => {
          const column = columns.value[at];
          return column && <Head key={column.name} column={column} at={at} />;
        })}
      </div>
    </div>
  );
}

function Head({ column, at, left }: { readonly column: Column; readonly at: number; readonly left?: number }) {
  const isActive = activeCell.value.row === -1 && activeCell.value.column === at;
  return (
    <div
      id={`cell--1-${at}`}
      class={`cell${isActive ? ' active' : ''}${left === undefined ? '' : ' frozen'}`}
      role="columnheader"
      aria-colindex={at + 2}
      title={titleOf(column)}
      style={{ width: `${column.width}px`, ...(left !== undefined && { left: `${left}px` }) }}
      onMouseDown={() => goToCell({ row: -1, column: at })}
    >
      <span class="text cut">{column.name}</span>
      <span class="type">{column.types.map((type) => typeMarks[type]).join(' ')}</span>
      <span class="handle" role="presentation" onPointerDown={(event) => dragWidth(event, column)} />
    </div>
  );
}

function titleOf({ name, types, filled }: Column): string {
  const share =
    filled > 0 ? ` · in ${filled.toLocaleString('en')} of ${loadedEntities.value.length.toLocaleString('en')}` : '';
  return `${name} · ${types.map((type) => type.slice(4)).join(', ')}${share}`;
}

/** Changes the width of a column while the pointer is held down. */
function dragWidth(event: PointerEvent, { name, width }: Column): void {
  event.stopPropagation();
  event.preventDefault();
  const { currentTarget, clientX, pointerId } = event;
  if (!(currentTarget instanceof HTMLElement)) return;
  currentTarget.setPointerCapture(pointerId);
  const move = (moved: PointerEvent) => setWidth(name, width + moved.clientX - clientX);
  currentTarget.addEventListener('pointermove', move);
  const stop = () => currentTarget.removeEventListener('pointermove', move);
  currentTarget.addEventListener('pointerup', stop, { once: true });
  currentTarget.addEventListener('pointercancel', stop, { once: true });
}

/** An item in the document: its position, and how far it is from the first one in CSS pixels. */
interface VisibleItem {
  readonly index: number;
  readonly start: number;
}

/** The visible items in one direction. */
interface Visible {
  readonly items: readonly VisibleItem[];
  /** Unit: CSS pixels. */
  readonly total: number;
  /** Scrolls so that an item can be seen. */
  reveal(index: number): void;
}

/** All items in one direction. */
interface VirtualWish {
  readonly count: number;
  /** Unit: CSS pixels. */
  size(index: number): number;
  readonly isHorizontal?: boolean;
  /** Fixed space before the first item, which covers the items scrolled below it. Unit: CSS pixels. */
  readonly covered?: number;
  readonly overscan: number;
  scroller(): HTMLElement | null;
}

/** Returns the visible items. The component is rendered again when they change. */
function useVisible(wish: VirtualWish): Visible {
  const { count, size, isHorizontal = false, covered = 0, overscan, scroller } = wish;
  const changes = useMemo(() => signal(0), []);
  void changes.value;
  const virtualizer = useMemo(
    () =>
      new Virtualizer<HTMLElement, HTMLElement>({
        ...{ count, estimateSize: size, horizontal: isHorizontal, overscan, getScrollElement: scroller },
        ...{ observeElementRect, observeElementOffset, scrollToFn: elementScroll },
      }),
    [],
  );
  virtualizer.setOptions({
    ...virtualizer.options,
    ...{ count, estimateSize: size, overscan, paddingStart: covered, scrollPaddingStart: covered },
    onChange: () => void changes.value++,
  });
  useEffect(() => virtualizer._didMount(), []);
  useEffect(() => virtualizer._willUpdate());
  return {
    items: virtualizer.getVirtualItems().map(({ index, start }) => ({ index, start: start - covered })),
    total: virtualizer.getTotalSize() - covered,
    reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
