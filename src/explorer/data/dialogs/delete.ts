import { server } from '../../client/control-client.js';
import type { Entity } from '../../client/entity.js';
import { literalOf } from '../../client/value.js';
import { showDone, showError } from '../../model/notices.js';
import { account } from '../../model/session.js';
import { countOf } from '../../parts/list.js';
import { filter, restart } from '../query/query.js';
import { selection } from '../rows.js';
import { loadTables, table } from '../tables.js';

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

/** Deletes the entities that the query finds. */
export async function deleteFound(): Promise<void> {
  const target = { ...ofAccount(), ...(table.value !== undefined && { table: table.value }) };
  const remove = (): Promise<Removed> =>
    filter.value === '' ? server.reset({ ...target, to: 'empty' }) : deleteByFilter(filter.value);
  await report(async () => [await remove()]);
}

/** Deletes the entities that are selected. */
export async function deleteSelected(): Promise<void> {
  const filters = filtersOf([...selection.value.values()]);
  await report(async () => {
    const removed: Removed[] = [];
    // The snapshot of the first part covers the others.
    for (const one of filters) removed.push(await deleteByFilter(one, removed[0]?.undo));
    return removed;
  });
}

function deleteByFilter(text: string, undo?: string): Promise<Removed> {
  return server.entities.delete(table.value ?? '', text, { ...ofAccount(), ...(undo !== undefined && { undo }) });
}

function ofAccount(): { readonly account?: string } {
  return account.value ? { account: account.value.name } : {};
}

async function report(remove: () => Promise<readonly Removed[]>): Promise<void> {
  try {
    const removed = await remove();
    const count = removed.reduce((sum, { entities = 0 }) => sum + entities, 0);
    const id = removed[0]?.undo;
    const text = count === 0 ? 'Deleted.' : `Deleted ${countOf(count, 'entity', 'entities')}.`;
    if (id !== undefined) showDone(text, { label: 'Undo', run: () => void undo(id) }, undoShownMs);
    else showDone(`${text} This cannot be undone.`);
  } catch (error) {
    showError(error);
  }
  show();
}

async function undo(id: string): Promise<void> {
  await server.undo(id).then(() => showDone('Brought back.'), showError);
  show();
}

function show(): void {
  restart();
  void loadTables();
}

/** Returns filters that find these entities and no others, each of a bounded length. */
function filtersOf(entities: readonly Entity[]): readonly string[] {
  const filters: string[] = [];
  let current: string[] = [];
  let units = 0;
  for (const { partitionKey, rowKey } of entities) {
    const text = `(PartitionKey eq ${stringOf(partitionKey)} and RowKey eq ${stringOf(rowKey)})`;
    if (units + text.length > filterUnitsMax) {
      filters.push(current.join(' or '));
      [current, units] = [[], 0];
    }
    current.push(text);
    units += text.length + 4;
  }
  return current.length > 0 ? [...filters, current.join(' or ')] : filters;
}

function stringOf(text: string): string {
  return literalOf({ type: 'Edm.String', text });
}
