import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Cell, HeadCell } from './cell.js';
import { runGridKey } from './keys.js';
import type { GridSource } from './source.js';
import { useViewport } from './viewport.js';

/** Rows and columns. Only rows that can be seen are in the document. */
export function Grid({ source }: { readonly source: GridSource }) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const { state, columns, count } = source;
  const view = useViewport(scroller, count);
  useEffect(() => {
    if (view.bottom >= count - 50) source.nearEnd?.();
  }, [view.bottom, source]);
  // The place where the user was, once there are rows again.
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    if (count === 0 || isPlaced.current || !scroller.current) return;
    isPlaced.current = true;
    scroller.current.scrollTop = state.scrollTop.peek();
    view.read();
  }, [count > 0]);
  const { row, column } = state.active.value;
  // A cell that moves with its row moves no view.
  const lastCount = useRef(-1);
  useLayoutEffect(() => {
    if (lastCount.current === count) {
      view.reveal(row);
      // The header is always in the document.
      document.getElementById(`${id}--1-${column}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }, [row, column]);
  useLayoutEffect(() => {
    lastCount.current = count;
  });
  // The same elements are not drawn again when only the active cell moves.
  const head = useMemo(() => <Row source={source} id={id} row={-1} />, [source]);
  const rows = useMemo(
    () =>
      Array.from({ length: Math.max(0, view.bottom - view.top) }, (_, at) => view.top + at).map((index) => (
        <Row key={index} source={source} id={id} row={index} height={view.rowHeight} />
      )),
    [source, view.top, view.bottom, view.rowHeight],
  );
  const frozen = columns.filter(({ isFrozen }) => isFrozen);
  const covered = frozen.reduce((sum, { width }) => sum + width, 0);
  const isShown = row < 0 || (row >= view.top && row < view.bottom);
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      style={{ scrollPaddingLeft: `${covered}px` }}
      aria-label={source.label}
      aria-multiselectable="true"
      aria-rowcount={source.isWhole ? count + 1 : -1}
      aria-colcount={columns.length}
      aria-activedescendant={isShown && column < columns.length ? `${id}-${row}-${column}` : undefined}
      onScroll={({ currentTarget }) => {
        if (isPlaced.current) state.scrollTop.value = currentTarget.scrollTop;
        view.read();
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        state.editing.value = undefined;
        if (!runGridKey(event, source, view.pageRows)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onPaste={({ target, currentTarget, clipboardData }) => {
        if (target === currentTarget) source.paste?.(clipboardData?.getData('text/plain') ?? '');
      }}
    >
      <div class="head" role="rowgroup">
        {head}
      </div>
      <div class="rows" role="rowgroup" style={{ height: `${count * view.rowHeight}px` }}>
        {rows}
      </div>
    </div>
  );
}

/** A row; the header is row -1. */
function Row(props: {
  readonly source: GridSource;
  readonly id: string;
  readonly row: number;
  /** Unit: CSS pixels. */
  readonly height?: number;
}) {
  const { source, id, row, height } = props;
  let x = 0;
  return (
    <div
      class={`row ${row < 0 ? '' : (source.rowClass?.(row) ?? '')}`}
      role="row"
      aria-rowindex={row + 2}
      style={height === undefined ? undefined : { transform: `translateY(${row * height}px)`, height: `${height}px` }}
    >
      {source.columns.map((column, at) => {
        const left = column.isFrozen ? x : undefined;
        x += column.width;
        const own = { source, row, at, column, id: `${id}-${row}-${at}`, left };
        return row < 0 ? <HeadCell key={column.id} {...own} /> : <Cell key={column.id} {...own} />;
      })}
    </div>
  );
}
