import { useSignal } from '@preact/signals';
import { type Entity, filterOfKeys } from '../../base/entity.js';
import { showDone, showError } from '../../model/notices.js';
import { go } from '../../model/route.js';
import { service } from '../../model/service.js';
import { account } from '../../model/session.js';
import { Dialog } from '../../parts/dialog.js';
import { countOf } from '../../parts/list.js';
import { server } from '../../wire/control-client.js';
import { clearSelection, selectedCount, selection } from '../grid/state.js';
import { takeNews } from '../live/news.js';
import { showDeleted } from '../live/row-edits.js';
import { filter, restart } from '../query/query.js';
import { hasMore, progress } from '../rows.js';
import { counts, loadTables, table } from '../tables.js';
import { closeDialog } from './open-dialog.js';

/** Above this number of entities, the table name has to be typed. (Our choice: fewer are soon recreated.) */
const confirmedAbove = 1000;

/** A deletion that needs a confirmation. */
interface Deletion {
  readonly table: string;
  /** Number of entities; undefined if it is not known. */
  readonly count: number | undefined;
  readonly label: string;
  /** Called when the user has confirmed. */
  readonly onDelete: () => void;
}

/** The buttons of a deletion. For many entities, or an unknown number, the name of the table has to be typed. */
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

/** Asks before deleting entities: the selected ones, or all results of the query. */
export function DeleteEntities({ target }: { readonly target: 'selection' | 'query' }) {
  const name = table.value ?? '';
  const isAll = target === 'query' && filter.value === '';
  const known = target === 'selection' ? selectedCount.value : hasMore.value ? undefined : progress.value.returned;
  const count = known ?? (isAll ? counts.value.get(name) : undefined);
  const words = count === undefined ? 'all matching entities' : countOf(count, 'entity', 'entities');
  return (
    <Dialog label="Delete entities" onClose={closeDialog}>
      <h2>Delete {words}?</h2>
      {target === 'query' && (
        <p>
          {isAll ? `The table ${name} stays, and is empty afterwards.` : <code class="quoted">{filter.value}</code>}
        </p>
      )}
      <p>You can undo it for ten minutes, unless five later calls remove something.</p>
      <DeletionActions
        table={name}
        count={count}
        label={`Delete ${words}`}
        onDelete={() => void (target === 'selection' ? deleteSelected() : deleteFound())}
      />
    </Dialog>
  );
}

/** Asks before deleting a table. A table with many entities has to be named. */
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

/** The answer of the server to a removal. */
interface Removed {
  readonly entities?: number;
  /** The ID to undo it; absent if it cannot be undone. */
  readonly undo?: string;
}

/** How long the notice with the button to undo stays. Unit: milliseconds. */
const undoShownMs = 60_000;

/** Longest filter that names entities to delete. Unit: UTF-16 code units. The body of a command has at most 64 KiB. */
const filterUnitsMax = 30_000;

async function deleteFound(): Promise<void> {
  const target = targetOf();
  const remove = (): Promise<Removed> =>
    filter.value === '' ? server.reset({ ...target, to: 'empty' }) : deleteByFilter(target, filter.value);
  await report(async () => [await remove()], restart);
}

async function deleteSelected(): Promise<void> {
  const entities = [...selection.value.values()];
  const filters = filtersOf(entities);
  // The user may go to another table meanwhile.
  const target = targetOf();
  const show = () => {
    if (JSON.stringify(target) !== JSON.stringify(targetOf())) return;
    clearSelection();
    showDeleted(entities);
  };
  await report(async () => {
    const removed: Removed[] = [];
    // The snapshot of the first part covers the others.
    for (const one of filters) removed.push(await deleteByFilter(target, one, removed[0]?.undo));
    return removed;
  }, show);
}

function deleteByFilter({ table, ...account }: Target, text: string, undo?: string): Promise<Removed> {
  return server.entities.delete(table, text, { ...account, ...(undo !== undefined && { undo }) });
}

/** The table whose entities are deleted. */
interface Target {
  readonly account?: string;
  readonly table: string;
}

function targetOf(): Target {
  return { ...ofAccount(), table: table.value ?? '' };
}

function ofAccount(): { readonly account?: string } {
  return account.value ? { account: account.value.name } : {};
}

/** Runs a deletion and tells about it. `show` shows the rows that are left. */
async function report(remove: () => Promise<readonly Removed[]>, show: () => void): Promise<void> {
  try {
    const removed = await remove();
    const count = removed.reduce((sum, { entities = 0 }) => sum + entities, 0);
    const id = removed[0]?.undo;
    const text = count === 0 ? 'Deleted.' : `Deleted ${countOf(count, 'entity', 'entities')}.`;
    if (id !== undefined) showDone(text, { label: 'Undo', run: () => void undo(id) }, undoShownMs);
    else showDone(`${text} This cannot be undone.`);
    show();
  } catch (error) {
    showError(error);
    // A part may be deleted.
    void takeNews();
  }
}

async function undo(id: string): Promise<void> {
  await server.undo(id).then(() => showDone('Brought back.'), showError);
  await takeNews();
}

/** Returns filters that match exactly these entities, each of a bounded length. */
function filtersOf(entities: readonly Entity[]): readonly string[] {
  const filters: string[] = [];
  let current: string[] = [];
  let units = 0;
  for (const entity of entities) {
    const text = filterOfKeys(entity);
    if (units + text.length > filterUnitsMax) {
      filters.push(current.join(' or '));
      [current, units] = [[], 0];
    }
    current.push(text);
    units += text.length + 4;
  }
  return current.length > 0 ? [...filters, current.join(' or ')] : filters;
}
