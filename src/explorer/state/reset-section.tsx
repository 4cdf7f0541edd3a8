import type { UndoSummary } from '../../client/calls.js';
import { server } from '../client/control-client.js';
import { account, mayChange } from '../model/session.js';
import { ask } from '../parts/dialog.js';
import { countOf } from '../parts/list.js';
import { change, snapshots, undoable, undoCall } from './known.js';
import { Section, showTime } from './section.js';

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
      <span>{what}</span>
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
