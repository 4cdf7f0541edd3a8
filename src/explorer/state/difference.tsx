import { signal } from '@preact/signals';
import type { Difference, DiffReport } from '../../client/calls.js';
import { readEntity } from '../base/entity.js';
import type { Value } from '../base/value.js';
import { isSameValue } from '../model/draft.js';
import { showError } from '../model/notices.js';
import { account, session } from '../model/session.js';
import { Choice, onFields } from '../parts/form.js';
import { TableHead } from '../parts/list.js';
import { Section } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import type { State } from './known.js';

const report = signal<DiffReport | undefined>(undefined);

/** Maximum number of loaded differences. (Our choice: nobody reads more on a page.) */
const limit = 500;

/** The differences between two states. */
export function DifferenceSection({ snapshots }: State) {
  const now = account.value?.name;
  const states = [...snapshots, ...(session.value?.accounts ?? [])].map(({ name }) => name);
  // Not the account with itself.
  const first = states.find((name) => name !== now);
  const compare = (textOf: (name: string) => string) =>
    void server.diff(textOf('from'), textOf('to'), { limit }).then((found) => (report.value = found), showError);
  return (
    <Section
      title="Difference"
      about="Entities added, removed or changed between two states: snapshots, or accounts and branches as they are now."
      command="diff FROM TO"
    >
      <form class="line" onSubmit={onFields(compare)}>
        <Choice name="from" label="From" options={states} chosen={first} />
        <Choice name="to" label="to" options={states} chosen={now} />
        <button type="submit">Compare</button>
      </form>
      {report.value?.differences.length === 0 && <p>The two states are identical.</p>}
      {report.value && report.value.differences.length > 0 && (
        <section class="scrolling" aria-label="Differences" tabIndex={-1}>
          <table class="list">
            <TableHead columns={['Change', 'Entity', 'Property', 'Before', 'After']} />
            <tbody>{report.value.differences.map(rowsOf)}</tbody>
          </table>
        </section>
      )}
      {report.value?.more && <p>There are more. The command line shows all of them.</p>}
    </Section>
  );
}

const colors: Readonly<Record<string, string>> = { added: 'good', removed: 'bad', changed: 'warn' };

/** One line for each changed property, so that values stand beside each other. */
function rowsOf({ kind, table, partitionKey, rowKey, before, after }: Difference) {
  const entity = partitionKey === undefined ? table : `${table} · ${partitionKey} · ${rowKey}`;
  const [left, right] = kind === 'changed' ? [propertiesOf(before), propertiesOf(after)] : [new Map(), new Map()];
  const names = [...new Set([...left.keys(), ...right.keys()])].filter(
    (name) => !isSameValue(left.get(name), right.get(name)),
  );
  return (names.length === 0 ? [''] : names).map((name) => (
    <tr key={`${kind} ${entity} ${name}`}>
      <td>
        <span class={`mark ${colors[kind.replace('table-', '')]}`}>{kind.replace('-', ' ')}</span>
      </td>
      <td class="cut" title={entity}>
        <code>{entity}</code>
      </td>
      <td class="cut">{name}</td>
      <ValueCell value={left.get(name)} />
      <ValueCell value={right.get(name)} />
    </tr>
  ));
}

/** A value with its type. The whole of a long one is its tooltip. */
function ValueCell({ value }: { readonly value: Value | undefined }) {
  if (!value) return <td />;
  return (
    <td class="cut" title={value.text}>
      <span class="small">{value.type.slice('Edm.'.length)}</span> <code>{value.text}</code>
    </td>
  );
}

function propertiesOf(entity: unknown): ReadonlyMap<string, Value> {
  return typeof entity === 'object' && entity !== null ? readEntity(entity).properties : new Map();
}
