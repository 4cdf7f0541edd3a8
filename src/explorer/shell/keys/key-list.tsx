import { signal } from '@preact/signals';
import { Dialog } from '../../parts/dialog.js';
import { tabs } from '../tabs.js';
import { areLettersOn, switchLetters } from './keys.js';

/** Whether the list of keys is open. */
export const isKeyListOpen = signal(false);

/** The keys and what they do, where they work. */
const groups: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Everywhere',
    keys: [...tabs.map(({ key, label }) => [`g ${key}`, `go to ${label}`] as const), ['?', 'show this list']],
  },
  {
    title: 'In Data',
    keys: [
      ['/', 'go to the filter'],
      ['Ctrl Enter', 'run the filter, or save the entity'],
      ['Escape', 'close the entity'],
    ],
  },
  {
    title: 'In the grid',
    keys: [
      ['Arrows, Home, End, Page Up, Page Down', 'move; with Ctrl, to the start or the end'],
      ['Enter, F2', 'open the entity at this property'],
      ['Space', 'select'],
      ['Ctrl A', 'select all rows in memory'],
      ['Delete', 'delete the selection'],
      ['Ctrl C', 'copy the value'],
      ['< >', 'in the header: resize the column'],
    ],
  },
];

/** The list of keys, with the switch for those that are single letters. */
export function KeyList() {
  if (!isKeyListOpen.value) return null;
  return (
    <Dialog label="Keys" onClose={() => (isKeyListOpen.value = false)}>
      <h2>Keys</h2>
      <div class="keys">
        {groups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, words]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{words}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="inline">
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
