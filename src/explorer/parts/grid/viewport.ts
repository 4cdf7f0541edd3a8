import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { CellFont } from './fit.js';

const tall = matchMedia('(pointer: coarse), (width < 600px)');

/** Height of a row. It is more for a finger, and where a cell has two lines in a small window. Unit: CSS pixels. */
const rowHeight = signal(tall.matches ? 40 : 26);
tall.addEventListener('change', () => (rowHeight.value = tall.matches ? 40 : 26));

/** Height of the header. Unit: CSS pixels. */
const headHeight = 28;

/** Rows at each side that are in the document though they cannot be seen yet. (Our choice: a scroll shows no gap.) */
const moreRows = 8;

/** The viewport of a grid. */
export interface Viewport {
  /** The rows in the document; the end is not included. */
  readonly top: number;
  readonly bottom: number;
  /** Unit: CSS pixels. */
  readonly rowHeight: number;
  /** Number of whole rows in it. */
  readonly pageRows: number;
  /** Reads the position of the scroll bar. */
  read(): void;
  /** Scrolls until a row can be seen. */
  reveal(row: number): void;
}

/** Follows the viewport of a grid with `count` rows. The component is rendered again when other rows become visible. */
export function useViewport(scroller: RefObject<HTMLElement | null>, count: number): Viewport {
  const first = useSignal(0);
  const height = useSignal(innerHeight);
  const read = () => {
    if (!scroller.current) return;
    first.value = Math.floor(scroller.current.scrollTop / rowHeight.peek());
    height.value = scroller.current.clientHeight;
  };
  useLayoutEffect(() => {
    read();
    const observer = new ResizeObserver(read);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);
  return {
    top: Math.max(0, Math.min(first.value - moreRows, count - 1)),
    bottom: Math.min(count, first.value + Math.ceil(height.value / rowHeight.value) + 1 + moreRows),
    rowHeight: rowHeight.value,
    pageRows: Math.max(1, Math.floor((height.value - headHeight) / rowHeight.value) - 1),
    read,
    reveal: (row) => {
      const grid = scroller.current;
      if (!grid || row < 0) return;
      const y = row * rowHeight.peek();
      const least = y + rowHeight.peek() + headHeight - grid.clientHeight;
      grid.scrollTop = Math.min(Math.max(grid.scrollTop, least), y);
    },
  };
}

const fonts = { name: '600 13px var(--font)', code: '12px var(--mono)', text: '13px var(--font)' };

let context: CanvasRenderingContext2D | null | undefined;

/** Returns the width of a text in a cell. Unit: CSS pixels. */
export function measureText(text: string, font: CellFont): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return text.length * 8;
  const styles = getComputedStyle(document.documentElement);
  context.font = fonts[font].replace(/var\((.+)\)/, (_all, name) => styles.getPropertyValue(name));
  return context.measureText(text).width;
}
