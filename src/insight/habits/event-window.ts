/** A number of events within a window of time that begins with the first of them. */
export interface EventWindow {
  since: number;
  count: number;
}

/** Returns a window without events. */
export function newWindow(): EventWindow {
  return { since: Number.NEGATIVE_INFINITY, count: 0 };
}

/** Counts events at a time. Returns how many the window has. A window that is over begins again. */
export function countIn(window: EventWindow, at: number, lengthMs: number, events = 1): number {
  if (at - window.since >= lengthMs) {
    window.since = at;
    window.count = 0;
  }
  window.count += events;
  return window.count;
}
