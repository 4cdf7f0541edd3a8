import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

/** An action in a menu. */
export interface MenuItem {
  readonly label: string;
  run(): void;
  /** The keys that do the same. */
  readonly keys?: string;
  /** Whether it is the current choice; undefined if the item is no choice. */
  readonly isChecked?: boolean;
  /** Whether a line separates it from the item before it. */
  readonly isApart?: boolean;
}

/** A menu that is open. */
interface OpenMenu {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The point or the element where it opens. */
  readonly at: { readonly x: number; readonly y: number } | Element;
}

const current = signal<OpenMenu | undefined>(undefined);

/** Opens a menu at a point, or beside an element. Only one is open at a time; a phone shows it as a sheet at the bottom. */
export function openMenu(label: string, items: readonly MenuItem[], at: OpenMenu['at']): void {
  if (items.length > 0) current.value = { label, items, at };
}

/** A button that opens a list of actions. */
export function Menu(props: {
  readonly label: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[];
  /** Whether the label is only for screen readers and the tooltip. */
  readonly isIconOnly?: boolean;
}) {
  const { label, icon, items, isIconOnly } = props;
  return (
    <button
      type="button"
      class={isIconOnly ? 'quiet' : undefined}
      aria-haspopup="menu"
      aria-expanded={current.value?.label === label}
      aria-label={isIconOnly ? label : undefined}
      title={isIconOnly ? label : undefined}
      onClick={({ currentTarget }) => openMenu(label, items, currentTarget)}
    >
      {icon && <Icon name={icon} />}
      {!isIconOnly && (
        <>
          {label}
          <Icon name="down" />
        </>
      )}
    </button>
  );
}

/** The open menu. The page has it once. Arrows move in it; Escape and Tab close it. */
export function MenuHost() {
  const menu = current.value;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!menu || !element.current) return;
    element.current.showPopover();
    place(element.current, menu.at);
    element.current.querySelector<HTMLElement>('button')?.focus();
  }, [menu]);
  if (!menu) return null;
  const close = () => {
    // The browser gives the focus back.
    element.current?.hidePopover();
    current.value = undefined;
  };
  return (
    <div
      ref={element}
      class="menu floating"
      role="menu"
      popover="auto"
      tabIndex={-1}
      aria-label={menu.label}
      onToggle={(event) => {
        if (event.newState === 'closed' && current.peek() === menu) current.value = undefined;
      }}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape' || event.key === 'Tab') close();
        else if (!moveFocus(event)) return;
        event.preventDefault();
      }}
    >
      {menu.items.map(({ label, run, keys, isChecked, isApart }) => (
        <button
          key={label}
          type="button"
          {...(isChecked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChecked })}
          aria-keyshortcuts={keys?.replace('Ctrl ', 'Control+')}
          class={`quiet${isApart ? ' apart' : ''}`}
          onClick={() => {
            close();
            run();
          }}
        >
          <span class="cut">{label}</span>
          {isChecked && <Icon name="check" />}
          {keys !== undefined && <kbd>{keys}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** Puts a menu where it fits into the window. A phone has it at the bottom, by its styles. */
function place(menu: HTMLElement, at: OpenMenu['at']): void {
  const around = at instanceof Element ? at.getBoundingClientRect() : new DOMRect(at.x, at.y, 0, 0);
  const { offsetWidth, offsetHeight } = menu;
  const isBelow = around.bottom + 4 + offsetHeight <= innerHeight;
  menu.style.setProperty('--x', `${Math.max(4, Math.min(around.left, innerWidth - offsetWidth - 4))}px`);
  menu.style.setProperty('--y', `${Math.max(4, isBelow ? around.bottom + 4 : around.top - offsetHeight - 4)}px`);
}

/** Moves among the buttons and links of an element by arrows, Home or End. Returns whether the key is one of them. */
export function moveFocus({ key, currentTarget }: KeyboardEvent): boolean {
  if (!(currentTarget instanceof HTMLElement)) return false;
  const items = [...currentTarget.querySelectorAll<HTMLElement>('button, a')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const steps: Readonly<Partial<Record<string, number>>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
  const step = steps[key];
  if (step !== undefined) items.at(step % items.length)?.focus();
  return step !== undefined;
}
