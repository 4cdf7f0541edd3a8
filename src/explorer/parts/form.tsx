import type { TargetedEvent } from 'preact';

/** Returns a listener for the `submit` of a form. `send` gets the trimmed text of a field by its name; empty for no such field. */
export function onFields(send: (textOf: (name: string) => string, form: HTMLFormElement) => void) {
  return (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    send((name) => String(fields.get(name) ?? '').trim(), form);
  };
}

/** A labeled choice in a form. An option is its text, or its text and its value. */
export function Choice(props: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (string | readonly [text: string, value: string])[];
  readonly chosen?: string | undefined;
  readonly onChange?: (value: string) => void;
}) {
  const { name, label, options, chosen, onChange } = props;
  return (
    <label>
      {label}{' '}
      <select name={name} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
        {options.map((option) => {
          const [text, value] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={value} value={value} selected={value === chosen}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}
