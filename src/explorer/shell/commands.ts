import { signal } from '@preact/signals';
import { isKeyListOpen } from './keys/key-list.js';
import { go } from './route.js';
import { tabs } from './tabs.js';
import { turnTheme } from './theme.js';

/** Something that the palette finds. */
export interface Command {
  readonly label: string;
  /** What kind of thing it is: `Table`, `Go to`. */
  readonly group: string;
  /** The keys that do the same, as the list shows them. */
  readonly keys?: string;
  run(): void;
}

/** Commands of the tabs by the name of the source. A tab replaces its own as its content changes. */
const sources = signal<ReadonlyMap<string, readonly Command[]>>(new Map());

/** Gives the palette the commands of a source, in place of those that the source has given before. */
export function offerCommands(source: string, commands: readonly Command[]): void {
  sources.value = new Map([...sources.peek(), [source, commands]]);
}

/** Returns the commands whose label has all words of a text, in any letter case. */
export function findCommands(text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/);
  const all = [...[...sources.value.values()].flat(), ...ownCommands()];
  return all.filter(({ label, group }) => words.every((word) => `${group} ${label}`.toLowerCase().includes(word)));
}

function ownCommands(): readonly Command[] {
  return [
    ...tabs.map(({ name, label, key }) => ({
      label,
      group: 'Go to',
      keys: `g ${key}`,
      run: () => go({ tab: name, item: undefined, params: new Map() }),
    })),
    { label: 'Change the theme', group: 'Page', run: turnTheme },
    { label: 'Show keyboard shortcuts', group: 'Page', keys: '?', run: () => (isKeyListOpen.value = true) },
  ];
}
