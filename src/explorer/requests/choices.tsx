import { allAccounts, type ChoiceName, choose, chosen, knownValues } from './rows.js';

/** The choices above the list. */
export function Choices() {
  return (
    <search class="choices line" aria-label="Choices">
      <Choice label="Status" name="status" values={['2xx', '3xx', '4xx', '5xx']} />
      <Choice label="Class" name="class" values={knownValues('Class')} />
      <Choice label="Operation" name="op" values={knownValues('OperationName')} />
      <Search label="Table" name="table" />
      <Search label="Text" name="text" title="In the address, the ids, the client, the mark or the reason" />
      <Flag label="All accounts" name="account" value={allAccounts} />
      <Flag label="This page" name="explorer" value="1" />
    </search>
  );
}

function Choice(props: { readonly label: string; readonly name: ChoiceName; readonly values: readonly string[] }) {
  const { label, name, values } = props;
  // An address may name a value that no request has had yet.
  const all = new Set([...values, chosen(name)].filter((value) => value !== ''));
  return (
    <select aria-label={label} value={chosen(name)} onChange={({ currentTarget }) => choose(name, currentTarget.value)}>
      <option value="">{label}: all</option>
      {[...all].map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  );
}

function Flag({ label, name, value }: { readonly label: string; readonly name: ChoiceName; readonly value: string }) {
  return (
    <label class="pair">
      <input
        type="checkbox"
        checked={chosen(name) !== ''}
        onChange={({ currentTarget }) => choose(name, currentTarget.checked ? value : '')}
      />
      {label}
    </label>
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
