import { useLayoutEffect } from 'preact/hooks';
import { areKeysRejected, mayEdit, reader } from '../model/identities.js';
import { Empty } from '../parts/list.js';
import { CopyAccount, isCopyOpen } from './dialogs/copy-account.js';
import { ImportData } from './dialogs/import-data.js';
import { createTable } from './dialogs/questions.js';
import { followCells } from './grid/entity-rows.js';
import { followRows } from './live/followed-rows.js';
import { EntityPanel } from './panel/entity-panel.js';
import { followPanel } from './panel/panel-state.js';
import { followQuery } from './query/query.js';
import { KeysRejected, RejectedList } from './rejection.js';
import { TableList } from './table-list.js';
import { TableView } from './table-view.js';
import { followTables, listRejection, table, tables, watchTables } from './tables.js';

/** The tab Data: the tables of the account, and the entities of one of them. */
export default function DataTab() {
  // Before the next key: following the address must not overwrite typed text.
  useLayoutEffect(() => {
    const stops = [followTables(), watchTables(), followQuery(), followRows(), followCells(), followPanel()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div class={`data${table.value === undefined ? ' unchosen' : ''}`}>
      <TableList />
      {table.value === undefined ? <NoTable /> : <TableView />}
      <EntityPanel />
      <ImportData />
      <CopyAccount />
    </div>
  );
}

/** Shown until a table is chosen: the possible next steps. */
function NoTable() {
  if (tables.value === undefined) return <div class="table-view" />;
  return (
    <div class="table-view">
      {areKeysRejected.value && reader.value === undefined ? (
        <KeysRejected />
      ) : listRejection.value ? (
        <RejectedList error={listRejection.value} />
      ) : tables.value.length > 0 ? (
        <Empty title="Choose a table">
          <p>Its entities, their cost and everything that can be done with them are shown here.</p>
        </Empty>
      ) : (
        <Empty title="This account has no tables">
          <p>
            Create one here, or connect a program: the tab Connect has the connection string. Its tables appear here
            when it creates them.
          </p>
          {mayEdit.value && (
            <button type="button" class="primary" onClick={createTable}>
              Create a table
            </button>
          )}
          {mayEdit.value && (
            <button type="button" onClick={() => (isCopyOpen.value = true)}>
              Copy from an account…
            </button>
          )}
        </Empty>
      )}
    </div>
  );
}
