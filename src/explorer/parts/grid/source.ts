import { type Signal, signal } from '@preact/signals';
import type { MenuItem } from '../menu.js';

/** The position of a cell. Row -1 is the header. */
export interface CellPlace {
  readonly row: number;
  /** Position in `columns`. */
  readonly column: number;
}

/** A column of a grid. */
export interface GridColumn {
  /** Its name, which the header shows. */
  readonly id: string;
  /** A short text after the name, such as its types. */
  readonly mark?: string | undefined;
  readonly title?: string | undefined;
  /** Unit: CSS pixels. */
  readonly width: number;
  /** Whether it stays in place. Frozen columns are the first ones. */
  readonly isFrozen?: boolean | undefined;
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

/** The look of a cell. */
export interface CellView {
  /** The text in the cell, which may be shortened. */
  readonly text: string;
  /** The whole text, for the pointer and for copies; `text` if it is the same. */
  readonly whole?: string | undefined;
  /** Classes: `number` is right-aligned, `code` has a fixed width, `faint`, `blank`; those of the own styles of a tab. */
  readonly kind?: string | undefined;
  /** A short text at its end, such as a type. */
  readonly mark?: string | undefined;
  /** A second line. */
  readonly below?: string | undefined;
  /** The words for a screen reader, if the text says too little. */
  readonly label?: string | undefined;
}

/** A value in the editor of a cell. */
export interface CellValue {
  readonly text: string;
  readonly type: string;
}

/** The value of a cell that can be changed. */
export interface CellEdit extends CellValue {
  /** Whether the row has such a value; otherwise the text is empty and the type is that of other rows. */
  readonly isThere: boolean;
  /** The error message of the text. */
  readonly fault: string | undefined;
}

/** The rows and columns of a grid, and its actions. */
export interface GridSource {
  readonly label: string;
  readonly columns: readonly GridColumn[];
  /** Number of rows. */
  readonly count: number;
  /** Whether there are no more rows than `count`. */
  readonly isWhole: boolean;
  readonly state: GridState;
  /** Whether a click opens a row, as a double click does. */
  readonly opensOnClick?: boolean;
  cell(row: number, column: GridColumn): CellView;
  /** Returns the classes of a row. */
  rowClass?(row: number): string;
  /** Called when the last rows are near. */
  nearEnd?(): void;
  /** Opens a row, at one of its columns. */
  open(row: number, column: GridColumn): void;
  /** Returns the actions for a cell; for the header of a column at row -1. */
  menu?(row: number, column: GridColumn): readonly MenuItem[];
  /** Handles a key that grids in general do not have. Returns whether it did. */
  key?(event: KeyboardEvent, row: number, column: GridColumn): boolean;
  /** Returns the value to edit; undefined if the cell cannot be changed. */
  edit?(row: number, column: GridColumn): CellEdit | undefined;
  /** Takes a value with each key that is typed, for one row or several; undefined removes it. */
  commit?(rows: readonly number[], column: GridColumn, value: CellValue | undefined): void;
  /** Takes a pasted text, from the active cell on. */
  paste?(text: string): void;
  /** Changes a width; undefined fits it to the values. */
  setWidth?(id: string, width: number | undefined): void;
  /** Sorts by a column. */
  sort?(id: string): void;
}

/** The cell whose editor is open. */
export interface Editing extends CellPlace {
  /** The value before it, which Escape brings back; undefined for none. */
  readonly before: CellValue | undefined;
}

/** The user's state in a grid, which outlives the component. */
export interface GridState {
  readonly active: Signal<CellPlace>;
  /** The other corner of the range. */
  readonly anchor: Signal<CellPlace>;
  readonly editing: Signal<Editing | undefined>;
  /** Unit: CSS pixels. */
  readonly scrollTop: Signal<number>;
}

/** Returns the state of a new grid. */
export function gridState(): GridState {
  return {
    active: signal({ row: 0, column: 0 }),
    anchor: signal({ row: 0, column: 0 }),
    editing: signal(undefined),
    scrollTop: signal(0),
  };
}

/** The rows and columns of a range, the last ones included. */
export interface GridRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Returns the range between the active cell and the anchor. It may be one cell. */
export function rangeOf({
  active: { value: a },
  anchor: { value: b },
}: Pick<GridState, 'active' | 'anchor'>): GridRange {
  return {
    top: Math.max(0, Math.min(a.row, b.row)),
    bottom: Math.max(a.row, b.row),
    left: Math.min(a.column, b.column),
    right: Math.max(a.column, b.column),
  };
}

/** Returns whether a range has several cells. */
export function isWide({ top, bottom, left, right }: GridRange): boolean {
  return bottom > top || right > left;
}

/** Returns the rows that an action is for: those of the range. */
export function rangeRows(state: GridState): readonly number[] {
  const { top, bottom } = rangeOf(state);
  return Array.from({ length: Math.max(0, bottom - top + 1) }, (_, at) => top + at);
}

/** Goes to a cell, or to the nearest one that exists. `isExtending` keeps the other corner of the range. */
export function goToCell({ state, count, columns }: GridSource, { row, column }: CellPlace, isExtending = false): void {
  const within = (at: number, min: number, max: number) => Math.max(min, Math.min(at, max));
  const place = { row: within(row, isExtending ? 0 : -1, count - 1), column: within(column, 0, columns.length - 1) };
  state.active.value = place;
  if (!isExtending) state.anchor.value = place;
}

/** Opens the editor in the active cell; with `typed`, its text is in place of the old one. Returns whether the cell can be changed. */
export function beginEdit(source: GridSource, typed?: string): boolean {
  const { row, column } = source.state.active.value;
  const at = source.columns[column];
  const edit = at && row >= 0 ? source.edit?.(row, at) : undefined;
  if (!at || !edit) return false;
  const before = edit.isThere ? { text: edit.text, type: edit.type } : undefined;
  if (typed !== undefined) source.commit?.([row], at, { type: edit.type, text: typed });
  source.state.editing.value = { row, column, before };
  return true;
}
