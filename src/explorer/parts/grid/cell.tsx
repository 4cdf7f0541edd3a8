import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Icon } from '../icon.js';
import { openMenu } from '../menu.js';
import { CellEditor } from './cell-editor.js';
import {
  beginEdit,
  type GridColumn,
  type GridRange,
  type GridSource,
  type GridState,
  goToCell,
  isWide,
  rangeOf,
} from './source.js';

/** The place of a cell. */
interface CellProps {
  readonly source: GridSource;
  readonly row: number;
  /** Position in the columns. */
  readonly at: number;
  readonly column: GridColumn;
  readonly id: string;
  /** The offset of a frozen column. Unit: CSS pixels. */
  readonly left: number | undefined;
}

/** Returns where a cell is in what the user has chosen, as class names. */
function chosenClass({ active, anchor, editing }: GridState, row: number, at: number): string {
  const isActive = active.value.row === row && active.value.column === at;
  const isEdited = editing.value?.row === row && editing.value.column === at;
  const range = rangeOf({ active, anchor });
  const isInRange = isWithin(range, row, at) && isWide(range);
  return `${isActive ? ' active' : ''}${isInRange ? ' in-range' : ''}${isEdited ? ' edited' : ''}`;
}

function isWithin({ top, bottom, left, right }: GridRange, row: number, at: number): boolean {
  return row >= top && row <= bottom && at >= left && at <= right;
}

/** A cell below the header. */
export function Cell({ source, row, at, column, id, left }: CellProps) {
  const { state } = source;
  // Only the cells whose look changes are drawn again when the active one moves.
  const chosen = useMemo(() => computed(() => chosenClass(state, row, at)), [state, row, at]).value;
  const isEdited = chosen.includes('edited');
  const { text, whole = text, kind = '', mark, below, label } = source.cell(row, column);
  return (
    <div
      id={id}
      class={`cell ${kind}${chosen}${left === undefined ? '' : ' frozen'}`}
      role="gridcell"
      aria-colindex={at + 1}
      aria-label={label}
      aria-selected={/active|in-range/.test(chosen)}
      title={whole === '' || (whole === text && whole.length < 12) ? undefined : whole.slice(0, 1000)}
      style={placeOf(column, left)}
      onMouseDown={({ button, shiftKey }) => {
        if (button !== 0 || isEdited) return;
        goToCell(source, { row, column: at }, shiftKey);
      }}
      onMouseEnter={({ buttons }) => buttons === 1 && goToCell(source, { row, column: at }, true)}
      onMouseUp={({ button }) => {
        if (button === 0 && source.opensOnClick && !isWide(rangeOf(source.state))) source.open(row, column);
      }}
      onDblClick={() => isEdited || beginEdit(source) || source.open(row, column)}
      onContextMenu={(event) => {
        if (isEdited) return;
        if (!isWithin(rangeOf(state), row, at)) goToCell(source, { row, column: at });
        openMenuAt(event, source, row, column);
      }}
    >
      {isEdited ? (
        <CellEditor source={source} row={row} column={column} />
      ) : (
        <>
          <span class="text cut">
            {text}
            {below !== undefined && <small class="cut">{below}</small>}
          </span>
          {mark !== undefined && <span class="type">{mark}</span>}
        </>
      )}
    </div>
  );
}

function openMenuAt(event: MouseEvent, { menu }: GridSource, row: number, column: GridColumn): void {
  if (!menu) return;
  event.preventDefault();
  openMenu(column.id, menu(row, column), { x: event.clientX, y: event.clientY });
}

/** The name of a column. */
export function HeadCell({ source, row, at, column, id, left }: CellProps) {
  const { active } = source.state;
  const isActive = active.value.row === row && active.value.column === at;
  const { sorted, mark } = column;
  return (
    <div
      id={id}
      class={`cell${isActive ? ' active' : ''}${left === undefined ? '' : ' frozen'}`}
      role="columnheader"
      aria-colindex={at + 1}
      aria-sort={sorted}
      title={column.title}
      style={placeOf(column, left)}
      onMouseDown={() => goToCell(source, { row: -1, column: at })}
      onDblClick={() => source.setWidth?.(column.id, undefined)}
      onContextMenu={(event) => openMenuAt(event, source, row, column)}
    >
      <span class="text cut">{column.id}</span>
      {sorted && <span class="sort">{sorted === 'ascending' ? '↑' : '↓'}</span>}
      {mark !== undefined && <span class="type">{mark}</span>}
      {source.menu && (
        <button
          type="button"
          class="quiet more"
          tabIndex={-1}
          aria-label={`Actions for ${column.id}`}
          onClick={({ currentTarget }) => openMenu(column.id, source.menu?.(row, column) ?? [], currentTarget)}
        >
          <Icon name="down" />
        </button>
      )}
      {source.setWidth && (
        <span
          class="handle"
          role="presentation"
          onPointerDown={(event) => {
            event.stopPropagation();
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={({ currentTarget, pointerId, clientX }) => {
            const left = currentTarget.parentElement?.getBoundingClientRect().left ?? 0;
            if (currentTarget.hasPointerCapture(pointerId)) source.setWidth?.(column.id, clientX - left);
          }}
        />
      )}
    </div>
  );
}

function placeOf({ width }: GridColumn, left: number | undefined) {
  return { width: `${width}px`, ...(left !== undefined && { left: `${left}px` }) };
}
