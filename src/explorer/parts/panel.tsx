import { signal } from '@preact/signals';
import type { ComponentChildren, Ref } from 'preact';
import { readStored, store } from '../model/preferences.js';
import { IconButton } from './icon.js';

/** The bounds of the width of a panel, and the change by a key. Unit: CSS pixels. */
const [widthMin, widthMax, widthStep] = [280, 900, 24];

/** The width of all panels, which this browser keeps. Unit: CSS pixels. */
const width = signal(readStored('panel', isWidth) ?? 380);

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
      style={{ '--panel-width': `${width.value}px` }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') onKey?.(event);
        else {
          event.preventDefault();
          onClose();
        }
      }}
    >
      <Edge />
      <header>
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

/** The edge of the panel, which changes its width: by the pointer, or by the arrow keys. */
function Edge() {
  return (
    <hr
      class="edge"
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={width.value}
      aria-valuemin={widthMin}
      aria-valuemax={widthMax}
      tabIndex={0}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') setWidth(width.value + widthStep);
        else if (key === 'ArrowRight') setWidth(width.value - widthStep);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (currentTarget.hasPointerCapture(pointerId)) {
          setWidth((currentTarget.parentElement?.getBoundingClientRect().right ?? 0) - clientX);
        }
      }}
    />
  );
}

function setWidth(wanted: number): void {
  width.value = Math.round(Math.min(Math.max(wanted, widthMin), widthMax));
  store('panel', width.value);
}

function isWidth(value: unknown): value is number {
  return typeof value === 'number' && value >= widthMin && value <= widthMax;
}
