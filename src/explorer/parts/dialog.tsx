import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A dialog over the page. The browser keeps the focus in it, closes it with Escape and gives the focus back. */
export function Dialog(props: {
  readonly label: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => before instanceof HTMLElement && before.isConnected && before.focus();
  }, []);
  return (
    <dialog ref={element} class={props.className} aria-label={props.label} closedby="any" onClose={props.onClose}>
      <div class="dialog-content">{props.children}</div>
    </dialog>
  );
}
