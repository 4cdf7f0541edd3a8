import { signal } from '@preact/signals';
import { areLettersOn, isLetter, switchLetters } from '../model/preferences.js';
import { hrefOfTab, route } from '../model/route.js';
import { Dialog } from '../parts/dialog.js';
import { Facts } from '../parts/list.js';
import type { Tab } from './tabs.js';

/** Whether the list of keys is open. */
export const isKeyListOpen = signal(false);

/** The keys of the tab Data, and then those of its grid. */
const dataKeys: readonly (readonly [key: string, words: string])[] = [
  ['/', 'go to the filter'],
  ['Ctrl Enter', 'run the filter, or save the entity'],
  ['Escape', 'close the entity'],
  ['Arrows, Home, End, Page Up, Page Down', 'move in the grid; with Ctrl, to the start or the end'],
  ['Shift and a movement', 'extend the range'],
  ['Enter', 'open the entity at this property; in the header: sort'],
  ['F2, or a text', 'edit the value; Ctrl Enter writes it into the whole range, Escape takes it back'],
  ['Backspace', 'remove the property'],
  ['Ctrl Z', 'take back the changes of the range'],
  ['Ctrl S', 'save all changes of the table'],
  ['Ctrl C, Ctrl V', 'copy the range; paste cells from the active one on, or rows with the names of their columns'],
  ['Ctrl A', 'extend the range to all rows read'],
  ['Delete', 'delete the rows of the range; in the header: hide the column'],
  ['Shift F10', 'open the menu of the cell'],
  ['< >', 'in the header: resize the column'],
];

/** The list of keys, with the switch for single letters. */
export function KeyList({ tabs }: { readonly tabs: readonly Tab[] }) {
  if (!isKeyListOpen.value) return null;
  const goTo = tabs.map(({ key, label }) => [`g ${key}`, `go to ${label}`] as const);
  const keys = [...goTo, ['?', 'show this list'] as const, ...dataKeys];
  return (
    <Dialog label="Keys" onClose={() => (isKeyListOpen.value = false)}>
      <h2>Keys</h2>
      <Facts facts={keys.map(([key, words]) => [<kbd key={key}>{key}</kbd>, words])} />
      <label class="line">
        <input
          type="checkbox"
          checked={areLettersOn.value}
          onChange={({ currentTarget }) => switchLetters(currentTarget.checked)}
        />
        Single letters and signs do something
      </label>
    </Dialog>
  );
}

/**
 * Opens tabs with `g` and a letter, and the list of keys with `?`, unless the user is typing. Call it once, before the page is
 * rendered, so that it receives each key.
 */
export function startShortcuts(tabs: readonly Tab[]): void {
  let afterG = false;
  addEventListener('keydown', (event) => {
    if (!isLetter(event)) return;
    if (event.key === '?') isKeyListOpen.value = true;
    const tab = afterG ? tabs.find(({ key }) => key === event.key)?.name : undefined;
    afterG = event.key === 'g';
    if (tab !== undefined && tab !== route.value.tab) location.hash = hrefOfTab(tab);
  });
}
