import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { tableNameLengthMax, tableNameLengthMin } from '../../protocol/limits.js';
import { checkTableName } from '../../protocol/names.js';
import { areKeysRejected, mayEdit, reader } from '../model/identities.js';
import { hrefOf } from '../model/route.js';
import { service } from '../model/service.js';
import { Dialog } from '../parts/dialog.js';
import { Icon, IconButton } from '../parts/icon.js';
import { Empty } from '../parts/list.js';
import { DeleteEntities, DeleteTable } from './dialogs/delete-dialogs.js';
import { ImportData } from './dialogs/import-data.js';
import { closeDialog, openDialog } from './dialogs/open-dialog.js';
import { EntityPanel } from './panel/entity-panel.js';
import { followPanel } from './panel/panel-state.js';
import { followQuery } from './query/query.js';
import { KeysRejected, RejectedList } from './rejection.js';
import { TableView } from './table-view.js';
import { counts, followTables, listRejection, loadTables, openTable, table, tables, watchTables } from './tables.js';

/** The tab Data: the tables of the account, and the entities of one of them. */
export default function DataTab() {
  // Before the next key: following the address must not overwrite typed text.
  useLayoutEffect(() => {
    const stops = [followTables(), watchTables(), followQuery(), followPanel()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div class="data">
      <TableList />
      {table.value === undefined ? <NoTable /> : <TableView />}
      <EntityPanel />
      <DataDialogs />
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
      return <DeleteEntities target={dialog.target} />;
    case 'import':
      return <ImportData />;
    case undefined:
      return null;
  }
}

const text = signal('');

/** The tables of the account, with the number of their entities. */
function TableList() {
  const wanted = text.value.toLowerCase();
  const shown = (tables.value ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  const list = useRef<HTMLUListElement>(null);
  const isListed = shown.some(({ name }) => name === table.value);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [table.value, isListed],
  );
  return (
    <nav class="tables" aria-label="Tables">
      <header>
        <h2>Tables</h2>
        {mayEdit.value && (
          <IconButton icon="add" label="Create a table" onClick={() => (openDialog.value = { kind: 'create-table' })} />
        )}
        <IconButton icon="refresh" label="Load and count the tables again" onClick={() => void loadTables()} />
      </header>
      <input
        type="search"
        aria-label="Find a table"
        placeholder="Find a table"
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <ul ref={list}>
        {shown.map(({ name }) => (
          <li key={name}>
            <a
              href={hrefOf({ tab: 'data', item: name })}
              aria-current={name === table.value ? 'page' : undefined}
              title={name}
            >
              <Icon name="table" />
              <span class="name cut">{name}</span>
              <span class="small number" title={countTitle(counts.value.get(name))}>
                {shortCount(counts.value.get(name))}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {tables.value && tables.value.length > 0 && shown.length === 0 && <p class="small">No matching tables.</p>}
    </nav>
  );
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function shortCount(count: number | undefined): string {
  return count === undefined ? '' : compact.format(count);
}

function countTitle(count: number | undefined): string {
  if (count === undefined) return '';
  return `${count.toLocaleString('en')} entities when they were counted. The cloud has no count; this server reads all of them.`;
}

/** The errors of a name. Source: data-model 1.1. */
const faults = {
  length: `A name has ${tableNameLengthMin} to ${tableNameLengthMax} characters.`,
  characters: 'Use letters and digits, starting with a letter.',
  reserved: 'This name is reserved.',
} as const;

/** Asks for the name of a new table. */
function CreateTable() {
  const name = useSignal('');
  const rejected = useSignal<string | undefined>(undefined);
  const invalid = checkTableName(name.value);
  const fault = rejected.value ?? (name.value !== '' && invalid ? faults[invalid] : undefined);
  const create = async () => {
    try {
      await service.createTable(name.value);
      closeDialog();
      await loadTables();
      openTable(name.value);
    } catch (error) {
      rejected.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <Dialog label="Create a table" onClose={closeDialog}>
      <h2>Create a table</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!invalid) void create();
        }}
      >
        <label for="table-name">Name</label>
        <input
          id="table-name"
          autofocus
          autocomplete="off"
          value={name.value}
          aria-invalid={fault !== undefined}
          aria-describedby="table-name-fault"
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value;
            rejected.value = undefined;
          }}
        />
        <p id="table-name-fault" class="fault">
          {fault}
        </p>
        <div class="actions line">
          <button type="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={invalid !== undefined}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}
