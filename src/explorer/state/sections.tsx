import { signal } from '@preact/signals';
import { hrefOf } from '../model/route.js';
import { account, mayChange, renewSession, session } from '../model/session.js';
import { CopiedText } from '../parts/copy.js';
import { Choice, onFields } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { countOf } from '../parts/list.js';
import { Lines, Section, showTime } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { change, type State, undoCall } from './known.js';

/** Snapshots: take, restore, delete. */
export function SnapshotSection({ snapshots }: State) {
  const take = (name: string) => change(() => server.snapshots.create(name), `The snapshot ${name} is taken.`);
  const restore = (name: string) =>
    change(
      () => server.snapshots.restore(name),
      ({ tables }) => `${countOf(tables, 'table is', 'tables are')} as in ${name}.`,
      [`Restore the snapshot ${name}?`, 'Everything written since is removed.', 'Restore'],
    );
  const remove = (name: string) =>
    change(() => server.snapshots.delete(name), `The snapshot ${name} is deleted.`, [
      `Delete the snapshot ${name}?`,
      'This cannot be undone. The tables are not affected.',
      'Delete',
    ]);
  return (
    <Section
      title="Snapshots"
      about="A snapshot keeps all accounts as they are now. Taking and restoring one takes milliseconds, whatever the size. A reset goes back to the one that is called seed."
      command="snapshot create NAME"
    >
      {mayChange.value && (
        <form class="line" onSubmit={onFields((textOf, form) => void take(textOf('name')).then(() => form.reset()))}>
          <input name="name" aria-label="Name of the snapshot" placeholder="Name" required />
          <button type="submit">Take</button>
        </form>
      )}
      <Lines
        label="Snapshots"
        lines={snapshots.map(({ name, at, accounts }) => ({
          key: name,
          name: <strong>{name}</strong>,
          facts: [showTime(at), countOf(accounts.length, 'account')],
          actions: [
            { label: 'Restore', run: () => void restore(name) },
            { label: `Delete the snapshot ${name}`, icon: 'delete', run: () => void remove(name) },
          ],
        }))}
      />
    </Section>
  );
}

/** The connection strings of branches created on this page. Lists never have them. */
const connectionStrings = signal<ReadonlyMap<string, string>>(new Map());

/** Branches: create, open, remove. */
export function BranchSection({ snapshots, branches }: State) {
  const accounts = (session.value?.accounts ?? []).filter(({ branch }) => !branch);
  const make = async (from: string, time: string) => {
    const branch = await change(
      () => server.branches.create({ from, for: time }),
      ({ account: name, tables }) => `The branch ${name} has ${countOf(tables, 'table')}.`,
    );
    if (branch?.connectionString !== undefined)
      connectionStrings.value = new Map([...connectionStrings.value, [branch.account, branch.connectionString]]);
    await renewSession();
  };
  const end = async (name: string) => {
    await change(() => server.branches.delete(name), `The branch ${name} is removed.`);
    await renewSession();
  };
  return (
    <Section
      title="Branches"
      about="A branch is a throw-away account that begins as a copy of an account or a snapshot. Tests that run side by side each get their own."
      command="branch create"
    >
      {mayChange.value && (
        <form class="line" onSubmit={onFields((textOf) => void make(textOf('from'), textOf('for')))}>
          <Choice
            name="from"
            label="From"
            options={[...accounts, ...snapshots].map(({ name }) => name)}
            chosen={account.value?.name}
          />
          <Choice name="for" label="for" options={['10m', '1h', '8h']} chosen="1h" />
          <button type="submit">Make a branch</button>
        </form>
      )}
      <Lines
        label="Branches"
        lines={branches.map(({ account: name, from, expires }) => ({
          key: name,
          name: (
            <>
              <Icon name="branch" />
              <a href={hrefOf({ account: name, tab: 'data', item: undefined })}>{name}</a>
              {connectionStrings.value.has(name) && (
                <CopiedText text={connectionStrings.value.get(name) ?? ''} label={`the connection string of ${name}`} />
              )}
            </>
          ),
          facts: [`of ${from.snapshot ?? from.account}`, `until ${showTime(expires)}`],
          actions: [{ label: `Remove the branch ${name}`, icon: 'delete', run: () => void end(name) }],
        }))}
      />
    </Section>
  );
}

/** Reset, and the calls that can be undone. */
export function ResetSection({ snapshots, undoable }: State) {
  const target = snapshots.some(({ name }) => name === 'seed') ? 'the snapshot seed' : 'empty';
  const own = account.value?.name ?? '';
  const resets = [[`Reset ${own}`, { account: own }] as const, ['Reset all accounts', {}] as const];
  return (
    <Section
      title="Reset"
      about="A reset goes back to the snapshot seed if there is one, otherwise to empty. It can be undone for ten minutes."
      command="reset"
    >
      {mayChange.value && (
        <div class="line">
          {resets.map(([label, options]) => (
            <button
              key={label}
              type="button"
              class="danger"
              onClick={() =>
                void change(
                  () => server.reset(options),
                  ({ tables, to, ms }) => `${countOf(tables, 'table')} reset to ${to} in ${ms.toFixed(1)} ms.`,
                  [`${label}?`, `The data returns to ${target}.`, 'Reset'],
                )
              }
            >
              <Icon name="warning" />
              {label}
            </button>
          ))}
        </div>
      )}
      <Lines
        label="Calls that can be undone"
        lines={undoable.toReversed().map(({ id, what, at, until }) => ({
          key: id,
          name: (
            <span class="cut" title={what}>
              {what}
            </span>
          ),
          facts: [showTime(at), `until ${showTime(until)}`],
          actions: [{ label: 'Undo', run: () => undoCall(id) }],
        }))}
      />
    </Section>
  );
}
