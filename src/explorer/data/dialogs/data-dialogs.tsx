import { CreateTable } from './create-table.js';
import { DeleteEntities } from './delete-entities.js';
import { DeleteTable } from './delete-table.js';
import { ImportData } from './import-data.js';
import { openDialog } from './open-dialog.js';

/** The dialog that is open, if any. */
export function DataDialogs() {
  const dialog = openDialog.value;
  switch (dialog?.kind) {
    case 'create-table':
      return <CreateTable />;
    case 'delete-table':
      return <DeleteTable table={dialog.table} />;
    case 'delete':
      return <DeleteEntities what={dialog.what} />;
    case 'import':
      return <ImportData />;
    case undefined:
      return null;
  }
}
