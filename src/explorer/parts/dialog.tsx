import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { onFields } from './form.js';

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
      {props.children}
    </dialog>
  );
}

/** A question to the user. */
interface Question {
  readonly title: string;
  readonly text: string;
  /** The word on the button that runs it. */
  readonly yes: string;
  /** The label of a text to type. */
  readonly label?: string;
  /** The only text that is accepted. */
  readonly wanted?: string;
  /** Gets the text. If it fails, the dialog stays, with the error. */
  run(text: string): Promise<void> | void;
  onClose?(): void;
}

const question = signal<Question | undefined>(undefined);

/** Asks the user a question with a text to type. */
export function askFor(next: Question): void {
  question.value?.onClose?.();
  question.value = next;
}

/** Asks the user for a confirmation; with `table`, its name has to be typed. Returns whether the user is sure. */
export function ask(title: string, text: string, yes: string, table?: string): Promise<boolean> {
  const name = table === undefined ? {} : { label: `Type the table name, ${table}`, wanted: table };
  return new Promise((answer) => {
    askFor({ title, text, yes, ...name, run: () => answer(true), onClose: () => answer(false) });
  });
}

/** The dialog of a question. The page has one. */
export function Ask() {
  const fault = useSignal('');
  const current = question.value;
  if (!current) return null;
  const { title, text, yes, label, wanted, run, onClose } = current;
  const close = () => {
    if (question.peek() === current) question.value = undefined;
    fault.value = '';
    onClose?.();
  };
  const send = async (typed: string) => {
    try {
      await run(typed);
      close();
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <Dialog label={title} onClose={close}>
      <h2>{title}</h2>
      {text !== '' && <p>{text}</p>}
      <form class="stack" onSubmit={onFields((textOf) => void send(textOf('text')))}>
        {label !== undefined && (
          <label>
            {label}
            <input
              name="text"
              autofocus
              required
              autocomplete="off"
              pattern={wanted}
              aria-describedby="question-fault"
            />
          </label>
        )}
        <p id="question-fault" class="fault" role="alert">
          {fault.value}
        </p>
        <div class="actions line">
          <button type="button" autofocus={label === undefined} onClick={close}>
            Cancel
          </button>
          <button type="submit" class={label === undefined || wanted !== undefined ? 'danger' : 'primary'}>
            {yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
