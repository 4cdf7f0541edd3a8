import type { TargetedEvent } from 'preact';
import { edmTypes } from '../../protocol/values/edm.js';
import { typeMarks } from '../base/value.js';

/** Returns a listener for the `submit` of a form. `send` gets the trimmed text of a field by its name; empty for no such field. */
export function onFields(send: (textOf: (name: string) => string, form: HTMLFormElement) => void) {
  return (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    send((name) => String(fields.get(name) ?? '').trim(), form);
  };
}

/** The types of values, as the options of a choice. */
export function TypeOptions({ isShort = false }: { readonly isShort?: boolean }) {
  return (
    <>
      {edmTypes.map((type) => (
        <option key={type} value={type}>
          {isShort ? typeMarks[type] : type.slice('Edm.'.length)}
        </option>
      ))}
    </>
  );
}
