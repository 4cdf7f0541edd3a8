import { useSignal } from '@preact/signals';
import { Dialog } from '../../parts/dialog.js';
import { deleteFound, deleteSelected } from '../delete.js';
import { filter } from '../query.js';
import { hasMore, progress } from '../rows.js';
import { selectedCount } from '../selection.js';
import { counts, table } from '../tables.js';
import { ConfirmName, confirmedAbove } from './confirm-name.js';
import { closeDialog } from './open-dialog.js';

/** Asks before entities are deleted: those that are selected, or all that the query finds. */
export function DeleteEntities({ what }: { readonly what: 'selection' | 'query' }) {
  const typed = useSignal('');
  const name = table.value ?? '';
  const isAll = what === 'query' && filter.value === '';
  const known = what === 'selection' ? selectedCount.value : hasMore.value ? undefined : progress.value.returned;
  const count = known ?? (isAll ? counts.value.get(name) : undefined);
  const needsName = count === undefined || count > confirmedAbove;
  const words =
    count === undefined
      ? 'all entities that match'
      : count === 1
        ? '1 entity'
        : `${count.toLocaleString('en')} entities`;
  return (
    <Dialog label="Delete entities" onClose={closeDialog}>
      <h2>Delete {words}?</h2>
      {what === 'query' && (
        <p>
          {isAll ? `The table ${name} stays, and is empty afterwards.` : <code class="quoted">{filter.value}</code>}
        </p>
      )}
      <p>You can undo it for ten minutes, unless the data is in PostgreSQL.</p>
      {needsName && <ConfirmName name={name} typed={typed} />}
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={needsName && typed.value !== name}
          onClick={() => {
            closeDialog();
            void (what === 'selection' ? deleteSelected() : deleteFound());
          }}
        >
          Delete {words}
        </button>
      </div>
    </Dialog>
  );
}
