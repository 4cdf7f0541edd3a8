import { Icon } from '../icon.js';
import { openMenu } from '../menu.js';
import { CellEditor } from './cell-editor.js';
import { beginEdit, type GridColumn, type GridSource, goToCell, isWide, rangeOf } from './source.js';

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

/** A cell below the header. */
export function Cell({ source, row, at, column, id, left }: CellProps) {
  const { active, editing } = source.state;
  const isActive = active.value.row === row && active.value.column === at;
  const isEdited = editing.value?.row === row && editing.value.column === at;
  const range = rangeOf(source.state);
  const isWithin = row >= range.top && row <= range.bottom && at >= range.left && at <= range.right;
  const isInRange = isWithin && isWide(range);
  const { text, whole = text, kind = '', mark, below, label } = source.cell(row, column);
  return (
    <div
      id={id}
      class={`cell ${kind}${isActive ? ' active' : ''}${isInRange ? ' in-range' : ''}${left === undefined ? '' : ' frozen'}`}
      role="gridcell"
      aria-colindex={at + 1}
      aria-label={label}
      aria-selected={isInRange || isActive}
      title={whole === '' || (whole === text && whole.length < 12) ? undefined : whole.slice(0, 1000)}
      style={placeOf(column, left)}
      onMouseDown={({ button, shiftKey }) => {
        if (button !== 0 || isEdited) return;
        goToCell(source, { row, column: at }, shiftKey);
        drag();
      }}
      onMouseEnter={() => isDragging && goToCell(source, { row, column: at }, true)}
      onMouseUp={({ button }) => {
        if (button === 0 && source.opensOnClick && !isWide(rangeOf(source.state))) source.open(row, column);
      }}
      onDblClick={() => isEdited || beginEdit(source) || source.open(row, column)}
      onContextMenu={(event) => {
        if (isEdited) return;
        if (!isWithin) goToCell(source, { row, column: at });
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

/** Whether the pointer extends the range. */
let isDragging = false;

function drag(): void {
  isDragging = true;
  addEventListener('mouseup', () => (isDragging = false), { once: true });
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
        <span class="handle" role="presentation" onPointerDown={(event) => dragWidth(event, source, column)} />
      )}
    </div>
  );
}

function placeOf({ width }: GridColumn, left: number | undefined) {
  return { width: `${width}px`, ...(left !== undefined && { left: `${left}px` }) };
}

/** Changes the width of a column while the pointer is held down. */
function dragWidth(event: PointerEvent, { setWidth }: GridSource, { id, width }: GridColumn): void {
  event.stopPropagation();
  event.preventDefault();
  const { currentTarget, clientX, pointerId } = event;
  if (!(currentTarget instanceof HTMLElement)) return;
  currentTarget.setPointerCapture(pointerId);
  const move = (moved: PointerEvent) => setWidth?.(id, width + moved.clientX - clientX);
  currentTarget.addEventListener('pointermove', move);
  const stop = () => currentTarget.removeEventListener('pointermove', move);
  currentTarget.addEventListener('pointerup', stop, { once: true });
  currentTarget.addEventListener('pointercancel', stop, { once: true });
}
