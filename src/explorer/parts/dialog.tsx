import { signal } from '@preact/signals';
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A dialog over the page. The browser keeps the focus in it, closes it with Escape and restores the focus. It opens and closes
 * within the event that requests it: the next key goes to the visible element.
 */
export function Dialog(props: {
  readonly label: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // Removing an open dialog would lose the focus.
    return () => dialog?.close();
  }, []);
  const close = ({ target, currentTarget }: TargetedEvent<HTMLDialogElement>) => {
    // A field for files in the dialog has its own `cancel`. A removed dialog emits `close` later.
    if (target === currentTarget && element.current === currentTarget) props.onClose();
  };
  return (
    <dialog
      ref={element}
      class={`floating ${props.className ?? ''}`}
      aria-label={props.label}
      closedby="any"
      // The browser sends `close` in a later task, and keys may come before it.
      onCancel={close}
      onClose={close}
    >
      <div class="dialog-content">{props.children}</div>
    </dialog>
  );
}

/** A question to the user, with the callback for the answer. */
interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly answer: (sure: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Asks the user for a confirmation. Returns whether the user is sure. */
export function ask(title: string, text: string, yes: string): Promise<boolean> {
  question.value?.answer(false);
  return new Promise((answer) => {
    question.value = { title, text, yes, answer };
  });
}

/** The dialog of `ask`. The page has one. */
export function Ask() {
  if (!question.value) return null;
  const { title, text, yes, answer } = question.value;
  const close = (sure: boolean) => {
    question.value = undefined;
    answer(sure);
  };
  return (
    <Dialog label={title} onClose={() => close(false)}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="actions line">
        <button type="button" autofocus onClick={() => close(false)}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => close(true)}>
          {yes}
        </button>
      </div>
    </Dialog>
  );
}
