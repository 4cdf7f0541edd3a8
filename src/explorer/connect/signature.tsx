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
import type { Field } from './items.js';
import { policies, signedTable } from './policies.js';
import { ownRoot, signedString } from './strings.js';

/** The typed fields of a signature for a table, and for the account. Only one for a table has a range. */
const own: Readonly<Record<'table' | 'account', readonly Field[]>> = {
  table: [
    ['permissions', 'Permissions: r query, a add, u update, d delete', 'all'],
    ['startPartition', 'From PartitionKey', 'any'],
    ['startRow', 'and RowKey', 'any'],
    ['endPartition', 'To PartitionKey', 'any'],
    ['endRow', 'and RowKey', 'any'],
  ],
  account: [
    ['permissions', 'Permissions: r read, w write, d delete, l list, a add, c create, u update', 'all'],
    ['resourceTypes', 'Resources: s service, c tables, o entities', 'all'],
  ],
};

/** Those of both. */
const limits: readonly Field[] = [
  ['start', 'Start, UTC'],
  ['expiry', 'Expiry, UTC; else in one hour'],
  ['ip', 'Clients', '10.0.0.1-10.0.0.9'],
];

const times = ['start', 'expiry'];

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
  const sign = async (form: HTMLFormElement) => {
    result.value = (await server.sas({ account: shown.name, ...wishOf(form) })).sas;
    announce('Signed');
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
        onSubmit={onFields((_, form) => sign(form).catch(showError))}
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
        {[...own[kind], ...limits].map(([name, label, placeholder]) => (
          <label key={`${kind} ${name}`}>
            {label}
            <input
              name={name}
              type={(times.includes(name) ? 'datetime-local' : 'text') as 'text'}
              placeholder={placeholder}
              step="any"
            />
          </label>
        ))}
        <label class="pair">
          <input name="httpsOnly" type="checkbox" value="true" /> HTTPS only
        </label>
        <button type="submit">Sign</button>
      </form>
      {result.value !== undefined && (
        <output class="signed">
          <CopiedFields
            fields={[
              ['URL', `${tableAddress(ownRoot(), shown)}/${table}?${result.value}`, 'the signed URL'],
              ['Signature', result.value, 'the signature'],
              [
                'For a shell, before copied command lines with $SAS',
                `SAS=${shellWord(result.value)}`,
                'the variable SAS',
              ],
              ['Connection string', signedString(shown, result.value), 'the connection string of the signature'],
            ]}
          />
        </output>
      )}
    </Section>
  );
}

/** Returns the fields that the server signs. Empty ones are left out. */
function wishOf(form: HTMLFormElement): object {
  const filled = [...new FormData(form)].filter(([, text]) => text !== '');
  return Object.fromEntries(
    filled.map(([name, text]) => [name, name === 'httpsOnly' ? true : times.includes(name) ? `${text}Z` : text]),
  );
}
