import { signal } from '@preact/signals';
import { columns } from '../columns.js';
import { progress } from '../rows.js';

/** The position of a cell. Row -1 is the header. */
export interface CellPlace {
  readonly row: number;
  /** Position in `columns`. */
  readonly column: number;
}

/** The active cell. */
export const activeCell = signal<CellPlace>({ row: 0, column: 0 });

/** Number of rows that Page Up and Page Down move. (Our choice.) */
const pageRows = 20;

type Step = (at: CellPlace, last: CellPlace) => Partial<CellPlace>;

const steps: ReadonlyMap<string, Step> = new Map<string, Step>([
  ['ArrowDown', ({ row }) => ({ row: row + 1 })],
  ['ArrowUp', ({ row }) => ({ row: row - 1 })],
  ['ArrowRight', ({ column }) => ({ column: column + 1 })],
  ['ArrowLeft', ({ column }) => ({ column: column - 1 })],
  ['PageDown', ({ row }) => ({ row: row + pageRows })],
  ['PageUp', ({ row }) => ({ row: Math.max(0, row - pageRows) })],
  ['Home', () => ({ column: 0 })],
  ['End', (_at, last) => ({ column: last.column })],
  ['Ctrl Home', () => ({ row: 0, column: 0 })],
  ['Ctrl End', (_at, last) => last],
]);

/** Moves the active cell by a key. Returns whether it is a movement key. */
export function moveByKey(event: KeyboardEvent): boolean {
  const step = steps.get(event.ctrlKey || event.metaKey ? `Ctrl ${event.key}` : event.key);
  if (!step || event.altKey) return false;
  const last = { row: progress.value.returned - 1, column: columns.value.length - 1 };
  goToCell({ ...activeCell.value, ...step(activeCell.value, last) });
  return true;
}

/** Goes to a cell, or to the nearest one that exists. */
export function goToCell({ row, column }: CellPlace): void {
  const within = (at: number, min: number, max: number) => Math.max(min, Math.min(at, max));
  activeCell.value = {
    row: within(row, -1, progress.value.returned - 1),
    column: within(column, 0, columns.value.length - 1),
  };
}
