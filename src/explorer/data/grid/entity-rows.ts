import { batch, computed, effect, untracked } from '@preact/signals';
import type { EdmType } from '../../../protocol/values/edm.js';
import { type Entity, propertyOf } from '../../base/entity.js';
import { keyFault } from '../../base/strict-json.js';
import { faultOf, type Value } from '../../base/value.js';
import {
  type Draft,
  draftOf,
  isSameValue,
  keepBreaks,
  newDraft,
  rowOf,
  typedValue,
  withChange,
} from '../../model/draft.js';
import { draftId, drafts, forgetDraft, keepDraft } from '../../model/drafts.js';
import { account } from '../../model/session.js';
import { type GridState, gridState, rangeRows } from '../../parts/grid/source.js';
import { typesOf } from '../columns.js';
import { isOpenDraft, lastVersion, takeBack } from '../panel/panel-state.js';
import { loadedEntities } from '../rows.js';
import { table } from '../tables.js';
import { order, positions } from '../view.js';

/** The table that is shown. */
const place = computed(() => ({ account: account.value?.name ?? '', table: table.value ?? '' }));

/** The drafts of the table that is shown. */
export const tableDrafts = computed(() =>
  [...drafts.value.values()].filter((one) => one.account === place.value.account && one.table === place.value.table),
);

/** The drafts of new entities: the first rows, until they are saved. */
const newDrafts = computed(() => tableDrafts.value.filter(({ base }) => !base));

/** Number of rows: those of new entities, and those of the service that the view shows. */
export const rowCount = computed(
  () => newDrafts.value.length + (positions.value?.length ?? loadedEntities.value.length),
);

/** Returns the entity in a row as the service has it; undefined for a new one. */
export function entityAt(row: number): Entity | undefined {
  const at = row - newDrafts.value.length;
  return at < 0 ? undefined : loadedEntities.value[positions.value?.[at] ?? at];
}

const states = new Map<string, GridState>();

/** The user's state in the grid of the current table. It stays while other places are shown. */
export const state = computed(() => {
  const at = JSON.stringify(place.value);
  const known = states.get(at) ?? gridState();
  states.set(at, known);
  return known;
});

/** The entities in the rows of the range. */
export const selection = computed(() => rangeRows(state.value).flatMap((row) => entityAt(row) ?? []));

/** Changes with the rows that come, go or move, and with no value. */
const layout = computed(() => [newDrafts.value.map(({ row }) => row), positions.value, order.value].join('\n'));

/** Keeps the active cell, with its editor, and the range at their entities while rows move, until the returned function is called. */
export function followCells(): () => void {
  let last: readonly [state: GridState, layout: string, ...ids: (string | undefined)[]] | undefined;
  return effect(() => {
    const [now, lines] = [state.value, layout.value];
    const ends = [now.active, now.anchor];
    for (const { value } of ends) void value;
    untracked(() => {
      if (last?.[0] === now && last[1] !== lines) moveCells(now, last[2], last[3]);
      last = [now, lines, ...ends.map(({ value }) => idAt(value.row))];
    });
  });
}

/** Moves to the rows that have these IDs now. A range whose rows are no longer together becomes one cell. */
function moveCells({ active, anchor, editing }: GridState, id: string | undefined, other: string | undefined): void {
  if (id === undefined || other === undefined) return;
  const ids = Array.from({ length: rowCount.value }, (_, row) => idAt(row));
  const [row, end] = [ids.indexOf(id), ids.indexOf(other)];
  const isTogether = row >= 0 && end >= 0 && end - row === anchor.value.row - active.value.row;
  if (isTogether && row === active.value.row) return;
  if (row >= 0) active.value = { ...active.value, row };
  anchor.value = isTogether ? { ...anchor.value, row: end } : active.value;
  if (editing.value) editing.value = row < 0 ? undefined : { ...editing.value, row };
}

function idAt(row: number): string | undefined {
  const entity = entityAt(row);
  return entity ? rowOf(entity) : newDrafts.value[row]?.row;
}

/** Returns the draft of a row. */
export function draftAt(row: number): Draft | undefined {
  const fresh = newDrafts.value[row];
  if (fresh) return fresh;
  const entity = drafts.value.size > 0 ? entityAt(row) : undefined;
  return entity && drafts.value.get(draftId({ ...place.value, row: rowOf(entity) }));
}

/** Returns the value of a cell: as it was typed, or as the service has it. */
export function valueAt(row: number, name: string): Value | undefined {
  const [draft, entity] = [draftAt(row), entityAt(row)];
  if (entity && !draft?.changes.has(name)) return propertyOf(entity, name);
  if (draft && name === 'PartitionKey') return { type: 'Edm.String', text: draft.partitionKey };
  if (draft && name === 'RowKey') return { type: 'Edm.String', text: draft.rowKey };
  return draft && typedValue(draft, name);
}

/** Returns whether a cell has a typed value that is not saved. */
export function isChanged(row: number, name: string): boolean {
  const [draft, entity] = [draftAt(row), entityAt(row)];
  return draft !== undefined && !isSameValue(valueAt(row, name), entity && propertyOf(entity, name));
}

/** Returns whether a property names an entity. */
export function isKey(name: string): name is 'PartitionKey' | 'RowKey' {
  return name === 'PartitionKey' || name === 'RowKey';
}

/**
 * Returns whether a cell can be changed: not the Timestamp, and keys only of a new entity. While the JSON of its draft has a fault, only the
 * panel changes it: the text would replace a change of a cell once it is correct.
 */
export function isEditable(row: number, name: string): boolean {
  if (name === 'Timestamp' || draftAt(row)?.json !== undefined) return false;
  return isKey(name) ? newDrafts.value[row] !== undefined : row < newDrafts.value.length || entityAt(row) !== undefined;
}

/** Returns the type that a new value of a cell has: that of the old one, or the most frequent one of its column. */
export function typeAt(row: number, name: string): EdmType {
  return valueAt(row, name)?.type ?? typesOf(name)[0] ?? 'Edm.String';
}

/** Returns the error message of a cell. */
export function faultAt(row: number, name: string): string | undefined {
  const value = valueAt(row, name);
  return value && (isKey(name) ? keyFault(value.text) : faultOf(value));
}

/** Changes the cells of a column in the drafts of these rows, which begin if there are none. Undefined removes the property. */
export function stageAll(rows: readonly number[], name: string, value: Value | undefined): void {
  batch(() => {
    for (const row of rows) {
      const entity = entityAt(row);
      const begun = draftAt(row) ?? (entity && draftOf(place.value, entity));
      if (begun && isEditable(row, name)) keepDraft(withValue(lastVersion(begun) ?? begun, name, value));
    }
  });
}

/** Begins the draft of a new entity with these values. Without a key of its own it is in the first partition. */
export function stageNew(names: readonly string[], texts: readonly string[]): void {
  const begun = newDraft(place.value, loadedEntities.value[0]?.partitionKey ?? '');
  const given = names.flatMap((name, at) => (texts[at] && name !== 'Timestamp' ? [[name, texts[at]] as const] : []));
  const typed = (name: string, text: string) => ({ type: typesOf(name)[0] ?? ('Edm.String' as const), text });
  keepDraft(given.reduce((draft, [name, text]) => withValue(draft, name, typed(name, text)), begun));
}

function withValue(draft: Draft, name: string, value: Value | undefined): Draft {
  const text = value?.text ?? '';
  if (name === 'PartitionKey') return { ...draft, partitionKey: text, problem: undefined };
  if (name === 'RowKey') return { ...draft, rowKey: text, problem: undefined };
  return withChange(draft, name, value && { ...value, text: keepBreaks(typedValue(draft, name)?.text ?? '', text) });
}

/** Takes back what was typed in these cells; the whole draft of a new entity. */
export function takeBackCells(rows: readonly number[], names: readonly string[]): void {
  const begun = rows.flatMap((row) => {
    const draft = draftAt(row);
    return draft ? [{ draft, entity: entityAt(row) }] : [];
  });
  for (const { draft, entity } of begun) {
    if (entity) {
      keepDraft(names.reduce((rest, name) => withChange(rest, name, rest.base?.properties.get(name)), draft));
    } else if (isOpenDraft(draft)) takeBack();
    else forgetDraft(draft);
  }
}
