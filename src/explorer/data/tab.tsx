import { useLayoutEffect } from 'preact/hooks';
import { areKeysRefused, mayEdit, reader } from '../model/identities.js';
import { Empty } from '../parts/list.js';
import { CreateTable } from './dialogs/create-table.js';
import { DeleteEntities, DeleteTable } from './dialogs/delete-dialogs.js';
import { ImportData } from './dialogs/import-data.js';
import { openDialog } from './dialogs/open-dialog.js';
import { ConflictDialog } from './drawer/conflict-dialog.js';
import { followDrawer } from './drawer/drawer-state.js';
import { EntityDrawer } from './drawer/entity-drawer.js';
import { followQuery } from './query/query.js';
import { KeysRefused, RefusedList } from './refusal.js';
import { TableList } from './table-list.js';
import { TableView } from './table-view.js';
import { followTables, listRefusal, table, tables } from './tables.js';

/** The tab Data: the tables of the account, and the entities of one of them. */
export default function DataTab() {
  // Before the next key: following the address must not overwrite typed text.
  useLayoutEffect(() => {
    const stops = [followTables(), followQuery(), followDrawer()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div class="data">
      <TableList />
      {table.value === undefined ? <NoTable /> : <TableView />}
      <EntityDrawer />
      <ConflictDialog />
      <DataDialogs />
    </div>
  );
}

/** Shown until a table is chosen: the possible next steps. */
function NoTable() {
  if (tables.value === undefined) return <div class="table-view" />;
  return (
    <div class="table-view">
      {areKeysRefused.value && reader.value === undefined ? (
        <KeysRefused />
      ) : listRefusal.value ? (
        <RefusedList error={listRefusal.value} />
      ) : tables.value.length > 0 ? (
        <Empty title="Choose a table">
          <p>Its entities, their cost and everything that can be done with them are shown here.</p>
        </Empty>
      ) : (
        <Empty title="This account has no tables">
          <p>
            Create one here, or connect a program: the tab Connect has the connection string. Tables of programs appear
            after a refresh.
          </p>
          {mayEdit.value && (
            <button type="button" class="primary" onClick={() => (openDialog.value = { kind: 'create-table' })}>
              Create a table
            </button>
          )}
        </Empty>
      )}
    </div>
  );
}

/** The dialog that is open, if any. */
function DataDialogs() {
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
