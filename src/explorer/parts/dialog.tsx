import type { ComponentChildren, TargetedEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A dialog over the page. The browser keeps the focus in it, closes it with Escape and gives the focus back. It opens and closes
 * within the event that asks for it: a key that is pressed next goes to what the user sees.
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
    // A dialog that is removed while it is open would leave the focus nowhere.
    return () => dialog?.close();
  }, []);
  const close = ({ target, currentTarget }: TargetedEvent<HTMLDialogElement>) => {
    // A field for files in the dialog has a `cancel` of its own. A dialog that is gone has its `close` later.
    if (target === currentTarget && element.current === currentTarget) props.onClose();
  };
  return (
    <dialog
      ref={element}
      class={props.className}
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
