import { computed, signal } from '@preact/signals';
import { Dialog } from '../parts/dialog.js';
import { type Command, findCommands } from './commands.js';

/** Whether the palette is open. */
export const isPaletteOpen = signal(false);

/** How many commands the palette shows. Ours: more cannot be read at once. */
const shownMax = 40;

const text = signal('');
const chosen = signal(0);
const found = computed(() => findCommands(text.value).slice(0, shownMax));

/** The list of everything that can be done, opened with Ctrl+K. */
export function Palette() {
  if (!isPaletteOpen.value) return null;
  const run = (command: Command | undefined) => {
    close();
    command?.run();
  };
  return (
    <Dialog label="Search tables and actions" className="palette" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.value.length > 0 ? `palette-${chosen.value}` : undefined}
        aria-label="Search tables and actions"
        placeholder="Search tables and actions"
        autofocus
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            chosen.value = Math.max(0, Math.min(found.value.length - 1, chosen.value + step));
          } else if (event.key === 'Enter') {
            event.preventDefault();
            run(found.value[chosen.value]);
          }
        }}
      />
      <div id="palette-list" role="listbox" aria-label="Found">
        {found.value.map((command, at) => (
          <button
            type="button"
            tabIndex={-1}
            key={`${command.group} ${command.label}`}
            id={`palette-${at}`}
            role="option"
            aria-selected={at === chosen.value}
            ref={(element) => {
              if (at === chosen.value) element?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => run(command)}
          >
            <span class="group">{command.group}</span>
            {command.label}
            {command.keys && <kbd>{command.keys}</kbd>}
          </button>
        ))}
      </div>
      {found.value.length === 0 && <p class="nothing">No matches.</p>}
    </Dialog>
  );
}

function close(): void {
  isPaletteOpen.value = false;
  text.value = '';
  chosen.value = 0;
}
