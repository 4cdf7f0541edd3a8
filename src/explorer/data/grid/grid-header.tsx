import { typeMarks } from '../../client/value.js';
import { type Column, columns, setWidth } from '../columns.js';
import { loadedEntities } from '../rows.js';
import { activeCell, goToCell } from './active-cell.js';
import { type GridLayout, leftOf } from './grid-row.js';

/** The row with the names and the types of the columns. */
export function GridHeader(layout: GridLayout) {
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
