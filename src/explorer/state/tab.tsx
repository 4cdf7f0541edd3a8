import { useEffect } from 'preact/hooks';
import type { ClockState, SnapshotSummary, UndoSummary } from '../../client/calls.js';
import { clock } from '../model/conditions.js';
import { account, mayChange } from '../model/session.js';
import { ask } from '../parts/dialog.js';
import { onFields } from '../parts/form.js';
import { IconButton } from '../parts/icon.js';
import { countOf } from '../parts/list.js';
import { server } from '../wire/control-client.js';
import { BranchSection } from './branch-section.js';
import { DifferenceSection } from './difference-section.js';
import { FaultSection } from './fault-section.js';
import { change, isKnown, snapshots, undoable, undoCall, watchState } from './known.js';
import { Section, showTime } from './section.js';

/** The tab State: a clean, known state at will, and faults on demand. */
export default function StateTab() {
  useEffect(watchState, []);
  if (!isKnown.value) return null;
  return (
    <div class="column">
      <SnapshotSection />
      <BranchSection />
      <ResetSection />
      <FaultSection />
      <ClockSection />
      <DifferenceSection />
    </div>
  );
}

/** The choices for moving the clock. */
const steps: readonly (readonly [label: string, length: string])[] = [
  ['+ 1 minute', '1m'],
  ['+ 1 hour', '1h'],
  ['+ 1 day', '1d'],
];

/** The clock: freeze, move forward, resume. */
function ClockSection() {
  if (!clock.value) return null;
  const { now, frozen } = clock.value;
  return (
    <Section
      title="Clock"
      about="The time by which entities are stamped and signatures end. It can be frozen and moved forward, in memory only, and never goes back."
      command="clock advance 1h"
    >
      <div class="line">
        <code>{now}</code>
        {frozen && <span class="mark warn">frozen</span>}
        {mayChange.value && (
          <>
            <button
              type="button"
              onClick={() => void set(() => (frozen ? server.clock.resume() : server.clock.freeze()))}
            >
              {frozen ? 'Resume' : 'Freeze'}
            </button>
            {steps.map(([label, length]) => (
              <button type="button" key={length} onClick={() => void set(() => server.clock.advance(length))}>
                {label}
              </button>
            ))}
          </>
        )}
      </div>
    </Section>
  );
}

async function set(call: () => Promise<ClockState>): Promise<void> {
  await change(call, ({ now }) => `The clock is at ${now}.`);
}

/** Reset, and the calls that can be undone. */
function ResetSection() {
  const name = account.value?.name;
  return (
    <Section
      title="Reset"
      about="A reset goes back to the snapshot seed if there is one, otherwise to empty. It can be undone for ten minutes."
      command="reset"
    >
      {mayChange.value && (
        <div class="line">
          <button type="button" onClick={() => void reset(name)}>
            Reset {name}
          </button>
          <button type="button" onClick={() => void reset(undefined)}>
            Reset all accounts
          </button>
        </div>
      )}
      {undoable.value.length > 0 && (
        <ul class="things" aria-label="Calls that can be undone">
          {undoable.value.toReversed().map((one) => (
            <UndoLine key={one.id} undo={one} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function UndoLine({ undo: { id, what, at, until } }: { readonly undo: UndoSummary }) {
  return (
    <li>
      <span class="cut" title={what}>
        {what}
      </span>
      <span class="faint">
        {showTime(at)} · until {showTime(until)}
      </span>
      {mayChange.value && (
        <span class="buttons">
          <button type="button" onClick={() => void undoCall(id)}>
            Undo
          </button>
        </span>
      )}
    </li>
  );
}

async function reset(name: string | undefined): Promise<void> {
  const target = snapshots.value.some((snapshot) => snapshot.name === 'seed') ? 'the snapshot seed' : 'empty';
  const sure = await ask(`Reset ${name ?? 'all accounts'}?`, `The data returns to ${target}.`, 'Reset');
  if (!sure) return;
  await change(
    () => server.reset(name === undefined ? {} : { account: name }),
    ({ tables, to, ms }) => `${countOf(tables, 'table')} reset to ${to} in ${ms.toFixed(1)} ms.`,
  );
}

/** Snapshots: take, restore, delete. */
function SnapshotSection() {
  return (
    <Section
      title="Snapshots"
      about="A snapshot keeps all accounts as they are now. Taking and restoring one takes milliseconds, whatever the size. A reset goes back to the one that is called seed."
      command="snapshot create NAME"
    >
      {mayChange.value && (
        <form class="line" onSubmit={onFields((textOf, form) => void take(textOf('name')).then(() => form.reset()))}>
          <input name="name" aria-label="Name of the snapshot" placeholder="Name" required />
          <button type="submit" class="primary">
            Take
          </button>
        </form>
      )}
      {snapshots.value.length > 0 && (
        <ul class="things">
          {snapshots.value.map((snapshot) => (
            <SnapshotLine key={snapshot.name} snapshot={snapshot} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function SnapshotLine({ snapshot: { name, at, accounts } }: { readonly snapshot: SnapshotSummary }) {
  const tables = accounts.reduce((sum, account) => sum + account.tables, 0);
  return (
    <li>
      <strong>{name}</strong>
      <span class="faint">
        {showTime(at)} · {countOf(accounts.length, 'account')} · {countOf(tables, 'table')}
      </span>
      {mayChange.value && (
        <span class="buttons">
          <button type="button" onClick={() => void restore(name)}>
            Restore
          </button>
          <IconButton icon="delete" label={`Delete the snapshot ${name}`} onClick={() => void remove(name)} />
        </span>
      )}
    </li>
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
