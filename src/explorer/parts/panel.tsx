import type { ComponentChildren, Ref } from 'preact';
import { IconButton } from './icon.js';

/** What is open, beside the list that it is from; in a narrow window, over it. Escape closes it. */
export function Panel(props: {
  readonly label: string;
  readonly title: string;
  readonly element: Ref<HTMLElement>;
  readonly onClose: () => void;
  /** Handles other keys. */
  readonly onKey?: (event: KeyboardEvent) => void;
  /** Beside the title. */
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
}) {
  const { label, title, element, onClose, onKey, head, children, foot } = props;
  return (
    <section
      ref={element}
      class="panel"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') onKey?.(event);
        else {
          event.preventDefault();
          onClose();
        }
      }}
    >
      <header class="line">
        <h2 class="cut" title={title}>
          {title}
        </h2>
        {head}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <div class="body">{children}</div>
      {foot && <footer>{foot}</footer>}
    </section>
  );
}
