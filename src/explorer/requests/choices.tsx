import { session } from '../model/session.js';
import { allAccounts, type ChoiceName, choose, chosen, knownValues } from './rows.js';

/** The choices above the list; in a small window, behind a button. */
export function Choices() {
  const hasAccounts = (session.value?.accounts.length ?? 0) > 1 || chosen('account') !== '';
  return (
    <search class="choices" id="choices" popover="auto" aria-label="Choices">
      <Choice label="Status" name="status" values={['2xx', '3xx', '4xx', '5xx']} />
      <Choice label="Class" name="class" values={knownValues('Class')} />
      <Choice label="Operation" name="op" values={knownValues('OperationName')} />
      {hasAccounts && <Choice label="Account" name="account" every="This account" values={[allAccounts]} />}
      <Search label="Table" name="table" />
      <Search label="Text" name="text" title="In the address, the ids, the client, the mark or the reason" />
      <label class="pair">
        <input
          type="checkbox"
          checked={chosen('explorer') !== ''}
          onChange={({ currentTarget }) => choose('explorer', currentTarget.checked ? '1' : '')}
        />
        This page
      </label>
    </search>
  );
}

function Choice(props: {
  readonly label: string;
  readonly name: ChoiceName;
  readonly values: readonly string[];
  /** The words without a choice. */
  readonly every?: string;
}) {
  const { label, name, values, every = `${label}: all` } = props;
  // An address may name a value that no request has had yet.
  const all = new Set([...values, chosen(name)].filter((value) => value !== ''));
  return (
    <select aria-label={label} value={chosen(name)} onChange={({ currentTarget }) => choose(name, currentTarget.value)}>
      <option value="">{every}</option>
      {[...all].map((value) => (
        <option key={value} value={value}>
          {value === allAccounts ? 'All accounts' : value}
        </option>
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
