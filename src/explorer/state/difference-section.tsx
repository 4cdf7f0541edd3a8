import { signal } from '@preact/signals';
import type { Difference, DiffReport } from '../../client/calls.js';
import { readEntity } from '../base/entity.js';
import type { Value } from '../base/value.js';
import { isSameValue } from '../model/draft.js';
import { showError } from '../model/notices.js';
import { account, session } from '../model/session.js';
import { onFields } from '../parts/form.js';
import { server } from '../wire/control-client.js';
import { snapshots } from './known.js';
import { Section, StateChoice } from './section.js';

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

/** How much of a value is shown. Unit: UTF-16 code units. */
const shownUnits = 80;

/** The differences between two states. */
export function DifferenceSection() {
  const states = [
    ...snapshots.value.map(({ name }) => name),
    ...(session.value?.accounts ?? []).map(({ name }) => name),
  ];
  return (
    <Section
      title="Difference"
      about="Entities added, removed or changed between two states: snapshots, or accounts as they are now."
      command="diff FROM TO"
    >
      <form class="line" onSubmit={onFields((textOf) => compare(textOf('from'), textOf('to')).catch(showError))}>
        <StateChoice name="from" label="From" states={states} chosen={states[0]} />
        <StateChoice name="to" label="to" states={states} chosen={account.value?.name} />
        <button type="submit" class="primary">
          Compare
        </button>
      </form>
      {report.value && <Differences report={report.value} />}
    </Section>
  );
}

function Differences({ report: { differences, more } }: { readonly report: DiffReport }) {
  if (differences.length === 0) return <p>The two states are identical.</p>;
  return (
    <>
      <ul class="things">
        {differences.map((difference) => (
          <DifferenceLine
            key={`${difference.table} ${difference.partitionKey} ${difference.rowKey} ${difference.kind}`}
            difference={difference}
          />
        ))}
      </ul>
      {more && <p>There are more. The command line shows all of them.</p>}
    </>
  );
}

function DifferenceLine({ difference }: { readonly difference: Difference }) {
  const { kind, table, partitionKey, rowKey, before, after } = difference;
  const [label, color] = words[kind];
  return (
    <li>
      <span class={`mark ${color}`}>{label}</span>
      <code>
        {table}
        {partitionKey !== undefined && ` · ${partitionKey} · ${rowKey}`}
      </code>
      {kind === 'changed' && <code class="faint">{changedProperties(before, after).join(', ')}</code>}
    </li>
  );
}

/** Returns the changes of an entity, property by property: with the types where they differ, because the values may look alike. */
function changedProperties(before: unknown, after: unknown): readonly string[] {
  const [left, right] = [propertiesOf(before), propertiesOf(after)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) => {
    const [was, now] = [left.get(name), right.get(name)];
    if (isSameValue(was, now)) return [];
    const isRetyped = was !== undefined && now !== undefined && was.type !== now.type;
    const shown = (value: Value | undefined) =>
      value === undefined ? '—' : `${cut(value.text)}${isRetyped ? ` (${value.type.slice('Edm.'.length)})` : ''}`;
    return [`${name}: ${shown(was)} → ${shown(now)}`];
  });
}

function propertiesOf(entity: unknown): ReadonlyMap<string, Value> {
  return typeof entity === 'object' && entity !== null ? readEntity(entity).properties : new Map();
}

function cut(text: string): string {
  return text.length <= shownUnits ? text : `${text.slice(0, shownUnits)}…`;
}

async function compare(from: string, to: string): Promise<void> {
  report.value = await server.diff(from, to, { limit });
}
