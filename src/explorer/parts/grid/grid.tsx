import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icon.js';
import { Cell, HeadCell } from './cell.js';
import { runGridKey } from './keys.js';
import { type GridColumn, type GridSource, goToCell, pick } from './source.js';
import { areRowsTall, useViewport } from './viewport.js';

/** Width of the column in which rows are picked. Unit: CSS pixels. */
const pickWidth = 36;

/** Rows and columns. Only those that can be seen are in the document. */
export function Grid({ source }: { readonly source: GridSource }) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const { state, columns, count, canPick = false } = source;
  const frozen = columns.filter(({ isFrozen }) => isFrozen);
  const loose = columns.slice(frozen.length);
  const covered = frozen.reduce((sum, { width }) => sum + width, canPick ? pickWidth : 0);
  const widths = loose.map(({ width }) => width);
  const rowHeight = areRowsTall.value ? 40 : 26;
  const view = useViewport(scroller, { count, rowHeight, widths, covered });
  useEffect(() => {
    if (view.bottom >= count - 50) source.nearEnd?.();
  }, [view.bottom, source]);
  useScrollPlace(scroller, source, view.read);
  const { row, column } = state.active.value;
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!isFirst.current) view.reveal(row, column - frozen.length);
    isFirst.current = false;
  }, [row, column]);
  const width = covered + widths.reduce((sum, one) => sum + one, 0);
  const layout: Layout = { source, id, frozen: frozen.length, ...view, width };
  const isShown = row < 0 || (row >= view.top && row < view.bottom);
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={source.label}
      aria-multiselectable="true"
      aria-rowcount={source.isWhole ? count + 1 : -1}
      aria-colcount={columns.length + (canPick ? 1 : 0)}
      aria-activedescendant={isShown && column < columns.length ? `${id}-${row}-${column}` : undefined}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        state.editing.value = undefined;
        if (!runGridKey(event, source, view.pageRows)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div class="head" role="rowgroup" style={{ width: `${width}px` }}>
        <Row {...layout} row={-1} />
      </div>
      <div class="rows" role="rowgroup" style={{ height: `${count * rowHeight}px`, width: `${width}px` }}>
        {Array.from({ length: Math.max(0, view.bottom - view.top) }, (_, at) => view.top + at).map((index) => (
          <Row key={index} {...layout} row={index} offset={index * rowHeight} />
        ))}
      </div>
    </div>
  );
}

/** Keeps the vertical position while the grid is not shown, and restores it when it has rows again. */
function useScrollPlace(
  scroller: { readonly current: HTMLElement | null },
  { state, count }: GridSource,
  read: () => void,
): void {
  const wanted = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const grid = scroller.current;
    wanted.current = state.scrollTop.peek();
    const follow = () => {
      if (grid && wanted.current === undefined) state.scrollTop.value = grid.scrollTop;
      read();
    };
    grid?.addEventListener('scroll', follow, { passive: true });
    return () => grid?.removeEventListener('scroll', follow);
  }, [state]);
  useLayoutEffect(() => {
    if (count === 0 || wanted.current === undefined || !scroller.current) return;
    scroller.current.scrollTop = wanted.current;
    wanted.current = undefined;
    read();
  }, [state, count > 0]);
}

/** The parts of a row in the document, and their places. */
interface Layout {
  readonly source: GridSource;
  readonly id: string;
  /** Number of columns at the start that are always in the document. */
  readonly frozen: number;
  /** The other columns in the document, as positions after the frozen ones. */
  readonly left: number;
  readonly right: number;
  /** The space before them. Unit: CSS pixels. */
  readonly before: number;
  /** The width of all columns. Unit: CSS pixels. */
  readonly width: number;
}

/** A row; the header is row -1. */
function Row({ row, offset, ...layout }: Layout & { readonly row: number; readonly offset?: number }) {
  const { source, id, frozen, left, right, before, width } = layout;
  const rowId = row < 0 ? undefined : source.idAt(row);
  const isPicked = rowId !== undefined && source.state.picked.value.has(rowId);
  const cell = (column: GridColumn, at: number, x?: number) => {
    const own = { source, row, at, column, id: `${id}-${row}-${at}`, ...(x !== undefined && { left: x }) };
    return row < 0 ? <HeadCell key={column.id} {...own} /> : <Cell key={column.id} {...own} />;
  };
  let x = source.canPick ? pickWidth : 0;
  return (
    <div
      class={`row ${row < 0 ? '' : (source.rowClass?.(row) ?? '')}`}
      role="row"
      aria-rowindex={row + 2}
      aria-selected={row < 0 || !source.canPick ? undefined : isPicked}
      style={{ ...(offset !== undefined && { transform: `translateY(${offset}px)` }), width: `${width}px` }}
    >
      {source.canPick && (row < 0 ? <PickHead /> : <PickCell source={source} row={row} isPicked={isPicked} />)}
      {source.columns.slice(0, frozen).map((column, at) => {
        x += column.width;
        return cell(column, at, x - column.width);
      })}
      <div class="gap" role="presentation" style={{ width: `${before}px` }} />
      {source.columns.slice(frozen + left, frozen + right).map((column, at) => cell(column, frozen + left + at))}
    </div>
  );
}

function PickHead() {
  return (
    <div class="cell select" role="columnheader" aria-colindex={1}>
      <span class="unseen">Selected</span>
    </div>
  );
}

/** The box that picks a row; with Shift, all rows from the active one on. */
function PickCell({
  source,
  row,
  isPicked,
}: {
  readonly source: GridSource;
  readonly row: number;
  readonly isPicked: boolean;
}) {
  const { active } = source.state;
  return (
    <div
      class="cell select"
      role="gridcell"
      aria-colindex={1}
      onMouseDown={(event) => {
        event.preventDefault();
        if (event.shiftKey) pick(source, active.value.row, row);
        else pick(source, row);
        goToCell(source, { row, column: active.value.column });
      }}
    >
      <span class="box" role="checkbox" aria-checked={isPicked} aria-label="Select the row">
        {isPicked && <Icon name="check" />}
      </span>
    </div>
  );
}
