import type { SnapshotSummary } from '../../client/calls.js';
import { mayChange } from '../model/session.js';
import { ask } from '../parts/dialog.js';
import { onFields } from '../parts/form.js';
import { IconButton } from '../parts/icon.js';
import { countOf } from '../parts/list.js';
import { Section, showTime, Thing, Things } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { change, snapshots } from './known.js';

/** Snapshots: take, restore, delete. */
export function SnapshotSection() {
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
      <Things label="Snapshots">
        {snapshots.value.map((snapshot) => (
          <SnapshotLine key={snapshot.name} snapshot={snapshot} />
        ))}
      </Things>
    </Section>
  );
}

function SnapshotLine({ snapshot: { name, at, accounts } }: { readonly snapshot: SnapshotSummary }) {
  const tables = accounts.reduce((sum, account) => sum + account.tables, 0);
  return (
    <Thing
      buttons={
        mayChange.value && (
          <>
            <button type="button" onClick={() => void restore(name)}>
              Restore
            </button>
            <IconButton icon="delete" label={`Delete the snapshot ${name}`} onClick={() => void remove(name)} />
          </>
        )
      }
    >
      <strong>{name}</strong>
      <span class="faint">
        {showTime(at)} · {countOf(accounts.length, 'account')} · {countOf(tables, 'table')}
      </span>
    </Thing>
  );
}

async function take(name: string): Promise<void> {
  await change(
    () => server.snapshots.create(name),
    () => `The snapshot ${name} is taken.`,
  );
}

async function restore(name: string): Promise<void> {
  const sure = await ask(`Restore the snapshot ${name}?`, 'Everything written since is removed.', 'Restore');
  if (!sure) return;
  await change(
    () => server.snapshots.restore(name),
    ({ tables }) => `${countOf(tables, 'table is', 'tables are')} as in ${name}.`,
  );
}

async function remove(name: string): Promise<void> {
  const sure = await ask(
    `Delete the snapshot ${name}?`,
    'This cannot be undone. The tables are not affected.',
    'Delete',
  );
  if (!sure) return;
  await change(
    () => server.snapshots.delete(name),
    () => `The snapshot ${name} is deleted.`,
  );
}
