import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from '../parts/icon.js';
import { route } from './route.js';

/** A message to the user, with something to do about it. */
export interface Notice {
  readonly id: number;
  readonly kind: 'error' | 'done';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** How many notices are shown. Ours: older ones go. */
const noticesMax = 4;

/** How long a notice of success stays. Unit: milliseconds. Errors stay until they are closed. */
const shownMs = 8000;

const notices = signal<readonly Notice[]>([]);
const spoken = signal('');
let nextId = 1;

/** Shows an error until the user closes it. An aborted request is not an error. */
export function showError(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  const text = error instanceof TypeError ? 'The server is not responding. Is it still running?' : textOf(error);
  add({ id: nextId++, kind: 'error', text });
}

/** Shows that something was done, and what undoes it, for a while. */
export function showDone(text: string, action?: Notice['action'], ms = shownMs): void {
  const id = nextId++;
  add({ id, kind: 'done', text, ...(action && { action }) });
  setTimeout(() => close(id), ms);
}

/** Has a screen reader say a text, without showing it. */
export function announce(text: string): void {
  spoken.value = text;
}

/** The notices above the content, and the region by which a screen reader learns what changed. */
export function Notices(): ComponentChildren {
  const { tab } = route.value;
  // A notice without an action is about the tab that the user has left.
  useEffect(() => () => keepActions(), [tab]);
  return (
    <>
      <div class="unseen" role="status" aria-live="polite">
        {spoken.value}
      </div>
      <section class="notices" aria-label="Notices">
        {notices.value.map((notice) => (
          <NoticeLine key={notice.id} notice={notice} />
        ))}
      </section>
    </>
  );
}

function NoticeLine({ notice: { id, kind, text, action } }: { readonly notice: Notice }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <Icon name={kind === 'error' ? 'error' : 'check'} />
      <span>{text}</span>
      {action && (
        <button
          type="button"
          onClick={() => {
            close(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" class="quiet" aria-label="Close the notice" onClick={() => close(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function keepActions(): void {
  notices.value = notices.value.filter(({ action }) => action !== undefined);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function add(notice: Notice): void {
  notices.value = [...notices.value, notice].slice(-noticesMax);
}

function close(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
