import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { columns } from '../columns.js';
import { takeGridFocus } from '../drawer/drawer-state.js';
import { hasMore, isPaused, progress, readMore, revision } from '../rows.js';
import { selection } from '../selection.js';
import { table } from '../tables.js';
import { activeCell, moveByKey } from './active-cell.js';
import { GridHeader } from './grid-header.js';
import { runKey } from './grid-keys.js';
import { GridRow } from './grid-row.js';
import { useVisible } from './virtual.js';

/** Height of a row. Unit: CSS pixels. */
const rowHeight = 30;

/** Width of the column in which rows are selected. Unit: CSS pixels. */
export const selectWidth = 36;

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
