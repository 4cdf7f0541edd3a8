import type { UndoSummary } from '../../client/calls.js';
import { account, mayChange } from '../model/session.js';
import { ask } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { countOf } from '../parts/list.js';
import { Section, showTime, Thing, Things } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { change, snapshots, undoable, undoCall } from './known.js';

/** Reset, and the calls that can be undone. */
export function ResetSection() {
  const name = account.value?.name;
  return (
    <Section
      title="Reset"
      about="A reset goes back to the snapshot seed if there is one, otherwise to empty. It can be undone for ten minutes."
      command="reset"
    >
      {mayChange.value && (
        <div class="line">
          <button type="button" class="danger" onClick={() => void reset(name)}>
            <Icon name="warning" />
            Reset {name}
          </button>
          <button type="button" class="danger" onClick={() => void reset(undefined)}>
            <Icon name="warning" />
            Reset all accounts
          </button>
        </div>
      )}
      <Things label="Calls that can be undone">
        {undoable.value.toReversed().map((one) => (
          <UndoLine key={one.id} undo={one} />
        ))}
      </Things>
    </Section>
  );
}

function UndoLine({ undo: { id, what, at, until } }: { readonly undo: UndoSummary }) {
  return (
    <Thing
      buttons={
        mayChange.value && (
          <button type="button" onClick={() => void undoCall(id)}>
            Undo
          </button>
        )
      }
    >
      <span class="cut" title={what}>
        {what}
      </span>
      <span class="faint">
        {showTime(at)} · until {showTime(until)}
      </span>
    </Thing>
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
