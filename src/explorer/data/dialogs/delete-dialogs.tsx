import { useSignal } from '@preact/signals';
import { showDone, showError } from '../../model/notices.js';
import { go } from '../../model/route.js';
import { service } from '../../model/service.js';
import { Dialog } from '../../parts/dialog.js';
import { countOf } from '../../parts/list.js';
import { filter } from '../query/query.js';
import { hasMore, progress, selectedCount } from '../rows.js';
import { counts, loadTables, table } from '../tables.js';
import { deleteFound, deleteSelected } from './delete.js';
import { closeDialog } from './open-dialog.js';

/** From how many entities on the name of the table has to be typed. (Our choice: fewer are soon made again.) */
const confirmedAbove = 1000;

/** A deletion that needs a confirmation. */
interface Deletion {
  readonly table: string;
  /** How many entities; undefined if that is not known. */
  readonly count: number | undefined;
  /** The words of the button. */
  readonly label: string;
  /** Is called when the dialog is closed. */
  readonly onDelete: () => void;
}

/** The end of a dialog that deletes. For many entities, or an unknown number, the name of the table has to be typed. */
function DeletionActions({ table, count, label, onDelete }: Deletion) {
  const typed = useSignal('');
  const needsName = count === undefined || count > confirmedAbove;
  return (
    <>
      {needsName && (
        <div class="stack">
          <label for="confirm-name">Type the table name, {table}</label>
          <input
            id="confirm-name"
            autocomplete="off"
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
        </div>
      )}
      <div class="actions line">
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={needsName && typed.value !== table}
          onClick={() => {
            closeDialog();
            onDelete();
          }}
        >
          {label}
        </button>
      </div>
    </>
  );
}

/** Asks before entities are deleted: those that are selected, or all that the query finds. */
export function DeleteEntities({ what }: { readonly what: 'selection' | 'query' }) {
  const name = table.value ?? '';
  const isAll = what === 'query' && filter.value === '';
  const known = what === 'selection' ? selectedCount.value : hasMore.value ? undefined : progress.value.returned;
  const count = known ?? (isAll ? counts.value.get(name) : undefined);
  const words = count === undefined ? 'all matching entities' : countOf(count, 'entity', 'entities');
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

/** Asks before a table is deleted. A table with many entities has to be named. */
export function DeleteTable({ table }: { readonly table: string }) {
  const count = counts.value.get(table);
  const remove = async () => {
    await service.deleteTable(table);
    go({ item: undefined, params: new Map() });
    showDone(`The table ${table} is deleted.`);
    await loadTables();
  };
  return (
    <Dialog label="Delete the table" onClose={closeDialog}>
      <h2>Delete the table {table}?</h2>
      <p>
        {count === undefined ? 'All of its entities' : `Its ${countOf(count, 'entity', 'entities')}`} and its access
        policies go with it. A snapshot brings it back, if there is one.
      </p>
      <DeletionActions
        table={table}
        count={count}
        label="Delete the table"
        onDelete={() => void remove().catch(showError)}
      />
    </Dialog>
  );
}
