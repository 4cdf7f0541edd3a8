import { signal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useEffect, useMemo } from 'preact/hooks';

/** An item in the document: its position, and how far it is from the first one in CSS pixels. */
export interface VisibleItem {
  readonly index: number;
  readonly start: number;
}

/** The visible items in one direction. */
export interface Visible {
  readonly items: readonly VisibleItem[];
  /** Unit: CSS pixels. */
  readonly total: number;
  /** Scrolls so that an item can be seen. */
  reveal(index: number): void;
}

/** All items in one direction. */
export interface VirtualWish {
  readonly count: number;
  /** Unit: CSS pixels. */
  size(index: number): number;
  readonly isHorizontal?: boolean;
  /** Space before the first item that stays in place and covers the items scrolled below it. Unit: CSS pixels. */
  readonly covered?: number;
  readonly overscan: number;
  scroller(): HTMLElement | null;
}

/** Returns the items that can be seen. The component is rendered again when that changes. */
export function useVisible(wish: VirtualWish): Visible {
  const { count, size, isHorizontal = false, covered = 0, overscan, scroller } = wish;
  const changes = useMemo(() => signal(0), []);
  void changes.value;
  const virtualizer = useMemo(
    () =>
      new Virtualizer<HTMLElement, HTMLElement>({
        ...{ count, estimateSize: size, horizontal: isHorizontal, overscan, getScrollElement: scroller },
        ...{ observeElementRect, observeElementOffset, scrollToFn: elementScroll },
      }),
    [],
  );
  virtualizer.setOptions({
    ...virtualizer.options,
    ...{ count, estimateSize: size, overscan, paddingStart: covered, scrollPaddingStart: covered },
    onChange: () => void changes.value++,
  });
  useEffect(() => virtualizer._didMount(), []);
  useEffect(() => virtualizer._willUpdate());
  return {
    items: virtualizer.getVirtualItems().map(({ index, start }) => ({ index, start: start - covered })),
    total: virtualizer.getTotalSize() - covered,
    reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
