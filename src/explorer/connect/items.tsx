import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { showDone, showError } from '../model/notices.js';
import { onFields } from '../parts/form.js';
import { IconButton } from '../parts/icon.js';
import { Thing, Things } from '../parts/section.js';
import type { Item } from './documents.js';

/** A field of an item. */
export interface ItemField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  /** Returns the text that the service takes for the typed one. */
  readonly write?: (text: string) => string;
}

/** A list that the service reads and replaces as a whole, such as the policies of a table, with a form that adds and changes items. */
export function Items(props: {
  /** The noun of one item, such as `policy`. */
  readonly noun: string;
  readonly fields: readonly ItemField[];
  readonly read: () => Promise<readonly Item[]>;
  readonly replace: (items: readonly Item[]) => Promise<void>;
  readonly onItems?: (items: readonly Item[]) => void;
}) {
  const { noun, fields, read, replace, onItems } = props;
  const items = useSignal<readonly Item[]>([]);
  const chosen = useSignal<Item | undefined>(undefined);
  const take = (next: readonly Item[]) => {
    items.value = next;
    onItems?.(next);
  };
  const change = async (next: readonly Item[], done: string) => {
    try {
      await replace(next);
      take(await read());
      chosen.value = undefined;
      showDone(done);
    } catch (error) {
      showError(error);
    }
  };
  useEffect(() => {
    read().then(take, showError);
  }, []);
  const keep = (textOf: (name: string) => string) => {
    const item = Object.fromEntries(fields.map(({ name, write = String }) => [name, write(textOf(name))]));
    const others = items.value;
    const next = chosen.value ? others.map((one) => (one === chosen.value ? item : one)) : [...others, item];
    return change(next, `The ${noun} was saved.`);
  };
  return (
    <>
      <Things label={`Each ${noun}`}>
        {items.value.map((item) => {
          const [first = ''] = fields.map(({ name }) => item[name]);
          return (
            <Thing
              key={JSON.stringify(item)}
              buttons={
                <>
                  <button
                    type="button"
                    aria-label={`Change ${first}`}
                    aria-pressed={chosen.value === item}
                    onClick={() => (chosen.value = chosen.value === item ? undefined : item)}
                  >
                    Change
                  </button>
                  <IconButton
                    icon="delete"
                    label={`Delete ${first}`}
                    onClick={() =>
                      void change(
                        items.value.filter((one) => one !== item),
                        `The ${noun} was deleted.`,
                      )
                    }
                  />
                </>
              }
            >
              <strong>{first}</strong>
              <span class="faint">
                {fields
                  .slice(1)
                  .flatMap(({ name, label }) => (item[name] ? [`${label} ${item[name]}`] : []))
                  .join(' · ')}
              </span>
            </Thing>
          );
        })}
      </Things>
      <form
        key={JSON.stringify([items.value, chosen.value])}
        class="fields"
        onSubmit={onFields((textOf) => void keep(textOf))}
      >
        {fields.map(({ name, label, placeholder, isRequired }) => (
          <label key={name}>
            {label}
            <input
              name={name}
              placeholder={placeholder}
              required={isRequired}
              defaultValue={chosen.value?.[name] ?? ''}
            />
          </label>
        ))}
        <button type="submit">{chosen.value ? `Save the ${noun}` : `Add a ${noun}`}</button>
      </form>
    </>
  );
}
