import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CellFont } from './fit.js';

const tall = matchMedia('(pointer: coarse), (width < 600px)');

/** Whether rows need more height: for a finger, or because a cell has two lines in a small window. */
export const areRowsTall = signal(tall.matches);
tall.addEventListener('change', () => (areRowsTall.value = tall.matches));

/** Height of the header. Unit: CSS pixels. */
const headHeight = 28;

/** Rows and columns that are in the document though they cannot be seen yet. (Our choice: a scroll shows no gap.) */
const [moreRows, moreColumns] = [8, 2];

/** The size of the content of a grid. */
export interface Extent {
  readonly count: number;
  /** Unit: CSS pixels. */
  readonly rowHeight: number;
  /** The widths of the columns that scroll. Unit: CSS pixels. */
  readonly widths: readonly number[];
  /** The width of the columns that stay in place. Unit: CSS pixels. */
  readonly covered: number;
}

/** The rows and columns in the document; the ends are not included. */
interface Visible {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** The space before the column `left`. Unit: CSS pixels. */
  readonly before: number;
}

/** The visible part of a grid. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the rows and columns to put into the document. */
function visibleIn({ count, rowHeight, widths, covered }: Extent, { x, y, width, height }: Box): Visible {
  const top = Math.max(0, Math.min(Math.floor(y / rowHeight) - moreRows, count - 1));
  const bottom = Math.min(count, Math.ceil((y + height) / rowHeight) + moreRows);
  const ends: number[] = [];
  for (const one of widths) ends.push((ends.at(-1) ?? 0) + one);
  const first = ends.findIndex((end) => end > x);
  const last = ends.findIndex((end) => end >= x + width - covered);
  const left = Math.max(0, (first < 0 ? widths.length : first) - moreColumns);
  const right = Math.min(widths.length, (last < 0 ? widths.length : last) + 1 + moreColumns);
  return { top, bottom, left, right, before: ends[left - 1] ?? 0 };
}

/** The viewport of a grid. */
export interface Viewport extends Visible {
  /** Number of whole rows in it. */
  readonly pageRows: number;
  /** Reads the position of the scroll bars. */
  read(): void;
  /** Scrolls until a cell can be seen; columns count from the first that scrolls. */
  reveal(row: number, column: number): void;
}

/** Follows the viewport of a grid. The component is rendered again when other rows or columns become visible. */
export function useViewport(scroller: RefObject<HTMLElement | null>, extent: Extent): Viewport {
  const latest = useRef(extent);
  latest.current = extent;
  const box = useRef<Box>({ x: 0, y: 0, width: innerWidth, height: innerHeight });
  const seen = useSignal('');
  void seen.value;
  const read = () => {
    const grid = scroller.current;
    if (!grid) return;
    box.current = { x: grid.scrollLeft, y: grid.scrollTop, width: grid.clientWidth, height: grid.clientHeight };
    seen.value = JSON.stringify(visibleIn(latest.current, box.current));
  };
  useLayoutEffect(() => {
    read();
    const observer = new ResizeObserver(read);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);
  return {
    ...visibleIn(extent, box.current),
    pageRows: Math.max(1, Math.floor((box.current.height - headHeight) / extent.rowHeight) - 1),
    read,
    reveal: (row, column) => {
      const grid = scroller.current;
      if (!grid) return;
      const { rowHeight, widths, covered } = extent;
      const y = row * rowHeight;
      if (row >= 0) grid.scrollTop = within(grid.scrollTop, y + rowHeight + headHeight - grid.clientHeight, y);
      const x = widths.slice(0, column).reduce((sum, width) => sum + width, 0);
      const end = x + (widths[column] ?? 0) + covered - grid.clientWidth;
      if (column >= 0) grid.scrollLeft = within(grid.scrollLeft, Math.min(end, x), x);
    },
  };
}

function within(at: number, min: number, max: number): number {
  return Math.min(Math.max(at, min), max);
}

let context: CanvasRenderingContext2D | null | undefined;

/** Returns the width of a text in a cell. Unit: CSS pixels. */
export function measureText(text: string, font: CellFont): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return text.length * 8;
  const styles = getComputedStyle(document.documentElement);
  const size = font === 'code' ? '12px' : font === 'name' ? '600 13px' : '13px';
  context.font = `${size} ${styles.getPropertyValue(font === 'code' ? '--mono' : '--font')}`;
  return context.measureText(text).width;
}
