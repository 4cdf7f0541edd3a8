import { signal } from '@preact/signals';

/** A message to the user, with an optional action. */
export interface Notice {
  readonly id: number;
  readonly kind: 'error' | 'done';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Maximum number of notices with an action; older ones are dropped. Of the others, there is one of each kind. (Our choice.) */
const actionsMax = 3;

/** How long a notice of success stays; longer if it has an action. Unit: milliseconds. Errors stay until they are closed. */
const [shownMs, shownWithActionMs] = [2000, 8000];

/** The visible notices, the oldest first. */
export const notices = signal<readonly Notice[]>([]);
/** The text for a screen reader. */
export const spoken = signal('');
let nextId = 1;

/** Shows an error until the user closes it. An aborted request is not an error. */
export function showError(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  add({ id: nextId++, kind: 'error', text: textOf(error) });
}

/** Confirms an action for a while, with a button that undoes it. */
export function showDone(text: string, action?: Notice['action'], ms = action ? shownWithActionMs : shownMs): void {
  const id = nextId++;
  add({ id, kind: 'done', text, ...(action && { action }) });
  setTimeout(() => closeNotice(id), ms);
}

/** Announces a text to screen readers, without showing it. */
export function announce(text: string): void {
  spoken.value = text;
}

/** Closes the notices without an action: they belong to the tab that the user has left. */
export function keepActions(): void {
  notices.value = notices.value.filter(({ action }) => action !== undefined);
}

/** Closes a notice. */
export function closeNotice(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Adds a notice, in place of the one of its kind. Those with an action stay beside it. */
function add(notice: Notice): void {
  const plain = notices.value.filter(({ kind, action }) => !action && (kind !== notice.kind || notice.action));
  const withAction = [...notices.value, notice].filter(({ action }) => action).slice(-actionsMax);
  notices.value = [...withAction, ...plain, ...(notice.action ? [] : [notice])];
}
