import { signal } from '@preact/signals';
import type { BranchSummary } from '../../client/calls.js';
import { hrefOf } from '../model/route.js';
import { account, mayChange, renewSession, session } from '../model/session.js';
import { CopiedText } from '../parts/copy.js';
import { Choice, onFields } from '../parts/form.js';
import { Icon, IconButton } from '../parts/icon.js';
import { countOf } from '../parts/list.js';
import { Section, showTime, Thing, Things } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { branches, change, snapshots } from './known.js';

/** The choices for the lifetime of a branch. */
const lasting: readonly (readonly [label: string, time: string])[] = [
  ['10 minutes', '10m'],
  ['1 hour', '1h'],
  ['8 hours', '8h'],
];

/** The connection strings of branches created on this page. Lists never have them. */
const connectionStrings = signal<ReadonlyMap<string, string>>(new Map());

/** Branches: create, open, remove. */
export function BranchSection() {
  const origins = [
    ...(session.value?.accounts ?? []).filter(({ branch }) => !branch).map(({ name }) => name),
    ...snapshots.value.map(({ name }) => name),
  ];
  return (
    <Section
      title="Branches"
      about="A branch is a throw-away account that begins as a copy of an account or a snapshot. Tests that run side by side each get their own."
      command="branch create"
    >
      {mayChange.value && (
        <form class="line" onSubmit={onFields((textOf) => void make(textOf('from'), textOf('for')))}>
          <Choice name="from" label="From" options={origins} chosen={account.value?.name} />
          <Choice name="for" label="for" options={lasting} chosen="1h" />
          <button type="submit">Make a branch</button>
        </form>
      )}
      <Things label="Branches">
        {branches.value.map((branch) => (
          <BranchLine key={branch.account} branch={branch} />
        ))}
      </Things>
    </Section>
  );
}

function BranchLine({ branch: { account: name, from, expires } }: { readonly branch: BranchSummary }) {
  const connectionString = connectionStrings.value.get(name);
  return (
    <Thing
      buttons={
        mayChange.value && (
          <IconButton icon="delete" label={`Remove the branch ${name}`} onClick={() => void end(name)} />
        )
      }
    >
      <Icon name="branch" />
      <a href={hrefOf({ account: name, tab: 'data', item: undefined })}>{name}</a>
      <span class="faint">
        of {from.snapshot ?? from.account} · until {showTime(expires)}
      </span>
      {connectionString !== undefined && (
        <CopiedText text={connectionString} label={`the connection string of ${name}`} />
      )}
    </Thing>
  );
}

async function make(from: string, time: string): Promise<void> {
  const branch = await change(
    () => server.branches.create({ from, for: time }),
    ({ account: name, tables }) => `The branch ${name} has ${countOf(tables, 'table')}.`,
  );
  if (branch?.connectionString !== undefined)
    connectionStrings.value = new Map([...connectionStrings.value, [branch.account, branch.connectionString]]);
  await renewSession();
}

async function end(name: string): Promise<void> {
  await change(
    () => server.branches.delete(name),
    () => `The branch ${name} is removed.`,
  );
  await renewSession();
}
