import { changeParams, selectText } from './query.js';

/** The names of the properties to send, with commas between them. */
export function SelectField() {
  return (
    <label class="select-names">
      <span>$select</span>
      <input
        aria-label="$select: the properties to send, with commas between them"
        placeholder="all properties"
        value={selectText.value}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') changeParams({ select: currentTarget.value.trim() });
        }}
        onChange={({ currentTarget }) => changeParams({ select: currentTarget.value.trim() })}
      />
    </label>
  );
}
