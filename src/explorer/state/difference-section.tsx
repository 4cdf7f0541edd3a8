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
import { snapshots } from './known.js';

const report = signal<DiffReport | undefined>(undefined);

/** The label and the color of each kind of difference. */
const words = {
  'table-added': ['table added', 'good'],
  'table-removed': ['table removed', 'bad'],
  added: ['added', 'good'],
  removed: ['removed', 'bad'],
  changed: ['changed', 'warn'],
} as const;

/** Maximum number of loaded differences. (Our choice: nobody reads more on a page.) */
const limit = 500;

/** The differences between two states. */
export function DifferenceSection() {
  const now = account.value?.name;
  const states = [
    ...snapshots.value.map(({ name }) => name),
    ...(session.value?.accounts ?? []).map(({ name }) => name),
  ];
  // Not the account with itself.
  const first = states.find((name) => name !== now);
  return (
    <Section
      title="Difference"
      about="Entities added, removed or changed between two states: snapshots, or accounts as they are now."
      command="diff FROM TO"
    >
      {first === undefined ? (
        <p>There is nothing to compare with. Take a snapshot, or make a branch.</p>
      ) : (
        <form class="line" onSubmit={onFields((textOf) => compare(textOf('from'), textOf('to')).catch(showError))}>
          <Choice name="from" label="From" options={states} chosen={first} />
          <Choice name="to" label="to" options={states} chosen={now} />
          <button type="submit">Compare</button>
        </form>
      )}
      {report.value && <Differences report={report.value} />}
    </Section>
  );
}

function Differences({ report: { differences, more } }: { readonly report: DiffReport }) {
  if (differences.length === 0) return <p>The two states are identical.</p>;
  return (
    <>
      <section class="differences" aria-label="Differences" tabIndex={-1}>
        <table class="list">
          <TableHead columns={['Change', 'Entity', 'Property', 'Before', 'After']} />
          {differences.map((difference) => (
            <DifferenceRows
              key={`${difference.table} ${difference.partitionKey} ${difference.rowKey} ${difference.kind}`}
              difference={difference}
            />
          ))}
        </table>
      </section>
      {more && <p>There are more. The command line shows all of them.</p>}
    </>
  );
}

/** One line for each changed property, so that values stand beside each other. */
function DifferenceRows({ difference }: { readonly difference: Difference }) {
  const { kind, table, partitionKey, rowKey, before, after } = difference;
  const [label, color] = words[kind];
  const changed = kind === 'changed' ? changedProperties(before, after) : [];
  const lines = changed.length === 0 ? [undefined] : changed;
  const entity = partitionKey === undefined ? table : `${table} · ${partitionKey} · ${rowKey}`;
  return (
    <tbody>
      {lines.map((line, at) => (
        <tr key={line?.name}>
          {at === 0 && (
            <>
              <td rowSpan={lines.length}>
                <span class={`mark ${color}`}>{label}</span>
              </td>
              <td rowSpan={lines.length} class="cut" title={entity}>
                <code>{entity}</code>
              </td>
            </>
          )}
          <td class="cut">{line?.name}</td>
          <ValueCell value={line?.was} />
          <ValueCell value={line?.now} />
        </tr>
      ))}
    </tbody>
  );
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

/** Returns the properties that differ. */
function changedProperties(before: unknown, after: unknown) {
  const [left, right] = [propertiesOf(before), propertiesOf(after)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) => {
    const [was, now] = [left.get(name), right.get(name)];
    return isSameValue(was, now) ? [] : [{ name, was, now }];
  });
}

function propertiesOf(entity: unknown): ReadonlyMap<string, Value> {
  return typeof entity === 'object' && entity !== null ? readEntity(entity).properties : new Map();
}

async function compare(from: string, to: string): Promise<void> {
  report.value = await server.diff(from, to, { limit });
}
