import { type ChoiceName, choose, chosen, knownClasses, knownOperations } from './rows.js';

/** The choices above the list. */
export function Choices() {
  return (
    <>
      <Choice label="Status" name="status" values={['2xx', '3xx', '4xx', '5xx']} />
      <Choice label="Class" name="class" values={knownClasses.value} />
      <Choice label="Operation" name="op" values={knownOperations.value} />
      <Search label="Table" name="table" />
      <Search label="Text" name="text" title="In the address, the ids, the client, the mark or the reason" />
      <label class="check">
        <input
          type="checkbox"
          checked={chosen('explorer') !== ''}
          onChange={({ currentTarget }) => choose('explorer', currentTarget.checked ? '1' : '')}
        />
        This page
      </label>
    </>
  );
}

function Choice(props: { readonly label: string; readonly name: ChoiceName; readonly values: readonly string[] }) {
  const { label, name, values } = props;
  // An address may ask for what no request has had yet.
  const all = values.includes(chosen(name)) || chosen(name) === '' ? values : [...values, chosen(name)];
  return (
    <select aria-label={label} value={chosen(name)} onChange={({ currentTarget }) => choose(name, currentTarget.value)}>
      <option value="">{label}: all</option>
      {all.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  );
}

function Search(props: { readonly label: string; readonly name: ChoiceName; readonly title?: string }) {
  const { label, name, title } = props;
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      title={title}
      value={chosen(name)}
      onInput={({ currentTarget }) => choose(name, currentTarget.value)}
    />
  );
}
