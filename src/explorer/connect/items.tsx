import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { showDone, showError } from '../model/notices.js';
import { onFields } from '../parts/form.js';
import { Lines } from '../parts/section.js';
import { type Item, readItems } from './documents.js';

/** A field of a form: its element, its label, and an example. */
export type Field = readonly [name: string, label: string, placeholder?: string];

/** A list that the service reads and replaces as a whole, such as the policies of a table, with a form that adds and changes items. */
export function Items(props: {
  /** The noun of one item, and the element that has it. */
  readonly noun: string;
  readonly element: string;
  readonly fields: readonly Field[];
  /** Number of fields at the start that every item has. */
  readonly required: number;
  /** Reads the document, or replaces it. */
  readonly send: (body?: string) => Promise<Response>;
  readonly write: (items: readonly Item[]) => string;
  readonly onItems?: (items: readonly Item[]) => void;
}) {
  const { noun, element, fields, required, send, write, onItems } = props;
  const items = useSignal<readonly Item[]>([]);
  const chosen = useSignal<Item | undefined>(undefined);
  const names = fields.map(([name]) => name);
  const load = async () => {
    items.value = readItems(await (await send()).text(), element, names);
    onItems?.(items.value);
  };
  const replace = async (next: readonly Item[], done: string) => {
    await send(write(next));
    await load();
    chosen.value = undefined;
    showDone(`The ${noun} was ${done}.`);
  };
  useEffect(() => void load().catch(showError), []);
  /** Puts an item in place of the chosen one, or at the end. */
  const keep = (textOf: (name: string) => string) => {
    const item = Object.fromEntries(names.map((name) => [name, textOf(name)]));
    const next = chosen.value ? items.value.map((one) => (one === chosen.value ? item : one)) : [...items.value, item];
    void replace(next, 'saved').catch(showError);
  };
  const remove = (item: Item) =>
    void replace(
      items.value.filter((one) => one !== item),
      'deleted',
    ).catch(showError);
  return (
    <>
      <Lines
        label={`Each ${noun}`}
        lines={items.value.map((item) => ({
          key: JSON.stringify(item),
          name: <strong>{item[names[0] ?? '']}</strong>,
          facts: fields.slice(1).map(([name, label]) => item[name] && `${label} ${item[name]}`),
          actions: [
            {
              label: chosen.value === item ? 'Cancel' : 'Change',
              run: () => (chosen.value = chosen.value === item ? undefined : item),
            },
            { label: `Delete ${item[names[0] ?? '']}`, icon: 'delete', run: () => remove(item) },
          ],
        }))}
      />
      <form key={JSON.stringify([items.value, chosen.value])} class="fields" onSubmit={onFields(keep)}>
        {fields.map(([name, label, placeholder], at) => (
          <label key={name}>
            {label}
            <input name={name} placeholder={placeholder} required={at < required} defaultValue={chosen.value?.[name]} />
          </label>
        ))}
        <button type="submit">{chosen.value ? `Save the ${noun}` : `Add a ${noun}`}</button>
      </form>
    </>
  );
}
