import { deleteTable } from '../../client/table-client.js';
import { Dialog } from '../../parts/dialog.js';
import { showDone, showError } from '../../shell/notices.js';
import { go } from '../../shell/route.js';
import { counts, loadTables } from '../tables.js';
import { DeletionActions } from './deletion-actions.js';
import { closeDialog } from './open-dialog.js';

/** Asks before a table is deleted. A table with many entities has to be named. */
export function DeleteTable({ table }: { readonly table: string }) {
  const count = counts.value.get(table);
  const remove = async () => {
    try {
      await deleteTable(table);
      go({ item: undefined, params: new Map() });
      showDone(`The table ${table} is deleted.`);
      await loadTables();
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Dialog label="Delete the table" onClose={closeDialog}>
      <h2>Delete the table {table}?</h2>
      <p>
        {count === undefined ? 'All of its entities' : `Its ${count.toLocaleString('en')} entities`} and its access
        policies go with it. A snapshot brings it back, if there is one.
      </p>
      <DeletionActions table={table} count={count} label="Delete the table" onDelete={() => void remove()} />
    </Dialog>
  );
}
