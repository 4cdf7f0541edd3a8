import { writeTabText } from '../../base/tab-text.js';
import { copyText } from '../copy.js';
import { openMenu } from '../menu.js';
import { beginEdit, type CellPlace, type GridSource, goToCell, isWide, rangeOf, rangeRows } from './source.js';

type Step = (at: CellPlace, last: CellPlace, pageRows: number) => Partial<CellPlace>;

const steps: ReadonlyMap<string, Step> = new Map<string, Step>([
  ['ArrowDown', ({ row }) => ({ row: row + 1 })],
  ['ArrowUp', ({ row }) => ({ row: row - 1 })],
  ['ArrowRight', ({ column }) => ({ column: column + 1 })],
  ['ArrowLeft', ({ column }) => ({ column: column - 1 })],
  ['PageDown', ({ row }, _last, pageRows) => ({ row: row + pageRows })],
  ['PageUp', ({ row }, _last, pageRows) => ({ row: Math.max(0, row - pageRows) })],
  ['Home', () => ({ column: 0 })],
  ['End', (_at, last) => ({ column: last.column })],
  ['Ctrl Home', () => ({ row: 0, column: 0 })],
  ['Ctrl End', (_at, last) => last],
  ['Ctrl ArrowDown', (_at, last) => ({ row: last.row })],
  ['Ctrl ArrowUp', () => ({ row: 0 })],
  ['Ctrl ArrowRight', (_at, last) => ({ column: last.column })],
  ['Ctrl ArrowLeft', () => ({ column: 0 })],
]);

/** How much a key changes the width of a column. Unit: CSS pixels. */
const widthStep = 24;

/** Handles a key in a grid. Returns whether it did. */
export function runGridKey(event: KeyboardEvent, source: GridSource, pageRows: number): boolean {
  const { active } = source.state;
  const column = source.columns[active.value.column];
  if (event.altKey || !column) return false;
  const isCtrl = event.ctrlKey || event.metaKey;
  const step = steps.get(isCtrl ? `Ctrl ${event.key}` : event.key);
  if (step) {
    const last = { row: source.count - 1, column: source.columns.length - 1 };
    goToCell(source, { ...active.value, ...step(active.value, last, pageRows) }, event.shiftKey);
    return true;
  }
  const { row } = active.value;
  if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
    const cell = event.currentTarget instanceof Element && event.currentTarget.querySelector('.cell.active');
    if (cell && source.menu) openMenu(column.id, source.menu(row, column), cell);
    return true;
  }
  const isOwn = row < 0 ? runHeaderKey(event, source) : isCtrl ? runCtrlKey(event.key, source) : runKey(event, source);
  if (isOwn || source.key?.(event, row, column)) return true;
  // A letter begins a new value, as in a spreadsheet.
  return !isCtrl && event.key.length === 1 && event.key !== ' ' && beginEdit(source, event.key);
}

function runHeaderKey({ key }: KeyboardEvent, { state, columns, sort, setWidth }: GridSource): boolean {
  const column = columns[state.active.value.column];
  if (!column) return false;
  if ((key === 'Enter' || key === ' ') && sort) sort(column.id);
  else if ((key === '<' || key === '>') && setWidth) {
    setWidth(column.id, column.width + (key === '>' ? widthStep : -widthStep));
  } else return false;
  return true;
}

function runCtrlKey(key: string, source: GridSource): boolean {
  if (key === 'a') {
    source.state.anchor.value = { row: source.count - 1, column: source.columns.length - 1 };
    source.state.active.value = { row: 0, column: 0 };
  } else if (key === 'c') void copyRange(source);
  else return false;
  return true;
}

function runKey({ key }: KeyboardEvent, source: GridSource): boolean {
  const { active, anchor } = source.state;
  const column = source.columns[active.value.column];
  if (key === 'Enter' && column) source.open(active.value.row, column);
  else if (key === 'F2') return beginEdit(source);
  else if (key === 'Escape' && isWide(rangeOf(source.state))) anchor.value = active.value;
  else return false;
  return true;
}

/** Copies the range as columns with their names, for a spreadsheet; a single cell as its value. */
async function copyRange(source: GridSource): Promise<void> {
  const { left, right } = rangeOf(source.state);
  const columns = source.columns.slice(left, right + 1);
  const rows = rangeRows(source.state).map((row) =>
    columns.map((column) => {
      const { text, whole = text } = source.cell(row, column);
      return whole;
    }),
  );
  const [first = [], ...others] = rows;
  if (others.length === 0 && first.length === 1) return copyText(first[0] ?? '', columns[0]?.id);
  await copyText(writeTabText([columns.map(({ id }) => id), ...rows]), `${rows.length} × ${columns.length} cells`);
}
