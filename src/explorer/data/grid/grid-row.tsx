import type { Entity } from '../../base/entity.js';
import { idOf, propertyOf } from '../../base/entity.js';
import { shownValue, typeMarks, type Value } from '../../base/value.js';
import { Icon } from '../../parts/icon.js';
import { type Column, columns } from '../columns.js';
import { openEntity } from '../panel/panel-state.js';
import { rowAt, toggleSelected } from '../rows.js';
import { activeCell, goToCell } from './active-cell.js';

/** The columns in the document, and their places. */
export interface GridLayout {
  /** Number of columns at the start that are always in the document. */
  readonly frozen: number;
  /** The positions of the other columns in the document. */
  readonly visible: readonly number[];
  /** The space before `visible`. Unit: CSS pixels. */
  readonly before: number;
  /** The width of all columns. Unit: CSS pixels. */
  readonly width: number;
}

/** A row of the grid. */
export function GridRow({
  row,
  top,
  isSelected,
  ...layout
}: GridLayout & { readonly row: number; readonly top: number; readonly isSelected: ReadonlyMap<string, Entity> }) {
  const entity = rowAt(row);
  const selected = entity !== undefined && isSelected.has(idOf(entity));
  return (
    <div
      class="row"
      role="row"
      aria-rowindex={row + 2}
      aria-selected={selected}
      style={{ transform: `translateY(${top}px)`, width: `${layout.width}px` }}
    >
      <div
        class="cell select"
        role="gridcell"
        aria-colindex={1}
        onMouseDown={(event) => {
          event.preventDefault();
          if (entity) toggleSelected(entity);
        }}
      >
        <span class="box" role="checkbox" aria-checked={selected} aria-label="Select the row">
          {selected && <Icon name="check" />}
        </span>
      </div>
      {columns.value.slice(0, layout.frozen).map((column, at) => (
        <Cell key={column.name} {...{ row, at, column, entity }} left={leftOf(at)} />
      ))}
      <div class="gap" role="presentation" style={{ width: `${layout.before}px` }} />
      {layout.visible.map((at) => {
        const column = columns.value[at];
        return column && <Cell key={column.name} {...{ row, at, column, entity }} />;
      })}
    </div>
  );
}

/** Returns the offset of a frozen column. Unit: CSS pixels. */
export function leftOf(at: number): number {
  return columns.value.slice(0, at).reduce((sum, { width }) => sum + width, 36);
}

function Cell({
  row,
  at,
  column,
  entity,
  left,
}: {
  readonly row: number;
  readonly at: number;
  readonly column: Column;
  readonly entity: Entity | undefined;
  readonly left?: number;
}) {
  const value = entity && propertyOf(entity, column.name);
  const isActive = activeCell.value.row === row && activeCell.value.column === at;
  return (
    <div
      id={`cell-${row}-${at}`}
      class={`cell ${looksOf(value)}${isActive ? ' active' : ''}${left === undefined ? '' : ' frozen'}`}
      role="gridcell"
      aria-colindex={at + 2}
      aria-label={entity && !value ? 'no such property' : undefined}
      style={{ width: `${column.width}px`, ...(left !== undefined && { left: `${left}px` }) }}
      onMouseDown={() => goToCell({ row, column: at })}
      onDblClick={() => entity && openEntity(entity, column.name)}
    >
      {value === undefined ? (
        entity ? (
          '—'
        ) : (
          '…'
        )
      ) : (
        <>
          <span class="text cut">{shownValue(value)}</span>
          {column.types.length > 1 && <span class="type">{typeMarks[value.type]}</span>}
        </>
      )}
    </div>
  );
}

/** Returns the classes of a cell by its value. */
function looksOf(value: Value | undefined): string {
  if (value === undefined) return 'faint';
  if (value.text === '') return 'faint blank';
  if (value.type === 'Edm.String' || value.type === 'Edm.Boolean') return '';
  return value.type === 'Edm.DateTime' || value.type === 'Edm.Guid' ? 'code' : 'code number';
}
