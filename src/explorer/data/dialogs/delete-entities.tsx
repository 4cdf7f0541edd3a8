import { Dialog } from '../../parts/dialog.js';
import { deleteFound, deleteSelected } from '../edits/delete.js';
import { filter } from '../query/query.js';
import { hasMore, progress } from '../rows.js';
import { selectedCount } from '../selection.js';
import { counts, table } from '../tables.js';
import { DeletionActions } from './deletion-actions.js';
import { closeDialog } from './open-dialog.js';

/** Asks before entities are deleted: those that are selected, or all that the query finds. */
export function DeleteEntities({ what }: { readonly what: 'selection' | 'query' }) {
  const name = table.value ?? '';
  const isAll = what === 'query' && filter.value === '';
  const known = what === 'selection' ? selectedCount.value : hasMore.value ? undefined : progress.value.returned;
  const count = known ?? (isAll ? counts.value.get(name) : undefined);
  const words =
    count === undefined ? 'all matching entities' : count === 1 ? '1 entity' : `${count.toLocaleString('en')} entities`;
  return (
    <Dialog label="Delete entities" onClose={closeDialog}>
      <h2>Delete {words}?</h2>
      {what === 'query' && (
        <p>
          {isAll ? `The table ${name} stays, and is empty afterwards.` : <code class="quoted">{filter.value}</code>}
        </p>
      )}
      <p>You can undo it for ten minutes.</p>
      <DeletionActions
        table={name}
        count={count}
        label={`Delete ${words}`}
        onDelete={() => void (what === 'selection' ? deleteSelected() : deleteFound())}
      />
    </Dialog>
  );
}
