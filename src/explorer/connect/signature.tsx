import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionAccount } from '../../client/calls.js';
import { tableAddress } from '../../protocol/access/connection-string.js';
import { shellWord } from '../../protocol/shell-word.js';
import { announce, showError } from '../model/notices.js';
import { service } from '../model/service.js';
import { Choice, onFields } from '../parts/form.js';
import { CopiedFields, Section } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { policies, signedTable } from './policies.js';
import { ownRoot, signedString } from './strings.js';

/** The permissions by their letters, for a table and for the account. */
const permissions = {
  table: { r: 'query', a: 'add', u: 'update', d: 'delete' },
  account: { r: 'read', w: 'write', d: 'delete', l: 'list', a: 'add', c: 'create', u: 'update' },
};

const resourceTypes = { s: 'service', c: 'tables', o: 'entities' };

/** A typed field of a signature. */
interface Input {
  readonly name: string;
  readonly label: string;
  /** Whether only a signature for a table has it. */
  readonly isOfRange?: true;
  readonly type?: 'datetime-local' | 'number';
  readonly placeholder?: string;
}

const inputs: readonly Input[] = [
  { name: 'startPartition', label: 'From PartitionKey', isOfRange: true },
  { name: 'startRow', label: 'and RowKey', isOfRange: true },
  { name: 'endPartition', label: 'To PartitionKey', isOfRange: true },
  { name: 'endRow', label: 'and RowKey', isOfRange: true },
  { name: 'start', label: 'Start, UTC', type: 'datetime-local' },
  { name: 'expiry', label: 'Expiry, UTC', type: 'datetime-local' },
  { name: 'hours', label: 'or hours', type: 'number', placeholder: '1' },
  { name: 'ip', label: 'Clients', placeholder: '10.0.0.1-10.0.0.9' },
];

/** A form for a shared access signature, which the server signs, and the results to copy. */
export function SignatureSection({ shown }: { readonly shown: SessionAccount }) {
  const tables = useSignal<readonly string[]>([]);
  const result = useSignal<string | undefined>(undefined);
  useEffect(() => {
    signedTable.value = '';
    service.listTableNames().then((names) => (tables.value = names), showError);
  }, []);
  const table = signedTable.value;
  const kind = table === '' ? 'account' : 'table';
  const sign = async (textOf: (name: string) => string, form: HTMLFormElement) => {
    try {
      result.value = (await server.sas({ account: shown.name, ...wishOf(textOf, form) })).sas;
      announce('Signed');
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Section
      title="Shared access signature"
      about="Gives a program some rights for a while, without a key. The server signs it; the page never has the key."
    >
      <form
        class="fields"
        // A changed form no longer describes the result.
        onInput={() => (result.value = undefined)}
        onSubmit={onFields((textOf, form) => void sign(textOf, form))}
      >
        <Choice
          name="table"
          label="Table"
          options={[['the whole account', ''], ...tables.value]}
          onChange={(name) => {
            policies.value = [];
            signedTable.value = name;
          }}
        />
        {table !== '' && (
          <Choice name="policy" label="Policy" options={[['none', ''], ...policies.value.map(({ Id = '' }) => Id)]} />
        )}
        <Letters key={kind} name="permissions" label="Permissions" letters={permissions[kind]} />
        {table === '' && <Letters name="resourceTypes" label="Resources" letters={resourceTypes} />}
        {inputs.map(
          ({ name, label, isOfRange, type = 'text', placeholder = isOfRange && 'any' }) =>
            (table !== '' || !isOfRange) && (
              <label key={name}>
                {label}
                <input name={name} type={type as 'text'} placeholder={placeholder} step="any" />
              </label>
            ),
        )}
        <label class="pair">
          <input name="httpsOnly" type="checkbox" /> HTTPS only
        </label>
        <button type="submit">Sign</button>
      </form>
      {result.value !== undefined && <Result shown={shown} table={table} sas={result.value} />}
    </Section>
  );
}

/** One box for each letter. None checked means all of them, or those of the policy. */
function Letters(props: {
  readonly name: string;
  readonly label: string;
  readonly letters: Readonly<Record<string, string>>;
}) {
  const { name, label, letters } = props;
  return (
    <fieldset class="line" aria-label={label}>
      <span class="faint">{label}</span>
      {Object.entries(letters).map(([letter, word]) => (
        <label class="pair" key={letter}>
          <input name={name} value={letter} type="checkbox" /> {word}
        </label>
      ))}
      <span class="faint">none checked: all</span>
    </fieldset>
  );
}

function Result({
  shown,
  table,
  sas,
}: {
  readonly shown: SessionAccount;
  readonly table: string;
  readonly sas: string;
}) {
  return (
    <output class="signed">
      <CopiedFields
        fields={[
          ['URL', `${tableAddress(ownRoot(), shown)}/${table}?${sas}`, 'the signed URL'],
          ['Signature', sas, 'the signature'],
          ['For a shell, before copied command lines with $SAS', `SAS=${shellWord(sas)}`, 'the variable SAS'],
          ['Connection string', signedString(shown, sas), 'the connection string of the signature'],
        ]}
      />
    </output>
  );
}

/** Returns the fields that the server signs. Empty ones are left out. */
function wishOf(textOf: (name: string) => string, form: HTMLFormElement): object {
  const fields = new FormData(form);
  const texts = [
    ...['table', 'policy', 'startPartition', 'startRow', 'endPartition', 'endRow', 'ip'].map((name) => [
      name,
      textOf(name),
    ]),
    ...['start', 'expiry'].map((name) => [name, textOf(name) && `${textOf(name)}Z`]),
    ...['permissions', 'resourceTypes'].map((name) => [name, fields.getAll(name).join('')]),
  ];
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
    ...(textOf('hours') !== '' && { hours: Number(textOf('hours')) }),
    ...(fields.has('httpsOnly') && { httpsOnly: true }),
  };
}
