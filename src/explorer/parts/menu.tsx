import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

/** An action in a menu. */
export interface MenuItem {
  readonly label: string;
  /** Whether it is the current choice; undefined if the item is no choice. */
  readonly isChecked?: boolean;
  run(): void;
}

/** A button that opens a list of actions. Arrows move in it, and Escape closes it. */
export function Menu(props: {
  readonly label: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[];
  readonly isUpwards?: boolean;
  /** Whether the label is only for screen readers and the tooltip. */
  readonly isIconOnly?: boolean;
}) {
  const { label, icon, items, isUpwards, isIconOnly } = props;
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  // Only when it opens: the list may be rendered again while the user moves in it.
  useLayoutEffect(() => {
    if (isOpen) element.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    element.current?.querySelector('button')?.focus();
  };
  return (
    <div
      ref={element}
      class={`menu${isUpwards ? ' upwards' : ''}`}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && element.current?.contains(relatedTarget))) setOpen(false);
      }}
    >
      <button
        type="button"
        class={isIconOnly ? 'quiet' : undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={isIconOnly ? label : undefined}
        title={isIconOnly ? label : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {icon && <Icon name={icon} />}
        {!isIconOnly && (
          <>
            {label}
            <Icon name="down" />
          </>
        )}
      </button>
      {isOpen && (
        <div
          role="menu"
          tabIndex={-1}
          aria-label={label}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
            else if (event.key === 'ArrowDown') moveFocus(event, 1);
            else if (event.key === 'ArrowUp') moveFocus(event, -1);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              {...roleOf(item)}
              class="quiet"
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.isChecked !== undefined && <span class="tick">{item.isChecked && <Icon name="check" />}</span>}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function roleOf({ isChecked }: MenuItem) {
  if (isChecked === undefined) return { role: 'menuitem' } as const;
  return { role: 'menuitemradio', 'aria-checked': isChecked } as const;
}

function moveFocus({ currentTarget }: Event, step: 1 | -1): void {
  if (!(currentTarget instanceof HTMLElement)) return;
  const items = [...currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}
