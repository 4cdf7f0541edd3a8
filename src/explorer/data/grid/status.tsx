import { mayEdit } from '../../model/identities.js';
import { setParams } from '../../model/route.js';
import { isWide, rangeOf, rangeRows } from '../../parts/grid/source.js';
import { countOf } from '../../parts/list.js';
import { isOpenDraft } from '../panel/panel-state.js';
import { isSaving, saveAll } from '../panel/save.js';
import { loadedEntities } from '../rows.js';
import { find, positions } from '../view.js';
import { tableDrafts, valueAt } from './entity-rows.js';
import { source } from './source.js';

/** The field that finds a text in the rows read. */
export function FindField() {
  return (
    <label class="find pair">
      <input
        type="search"
        aria-label="Find in the rows read"
        placeholder="Find in rows"
        value={find.value}
        onInput={({ currentTarget }) => setParams({ find: currentTarget.value })}
      />
      {find.value !== '' && (
        <span class="small" role="status">
          {(positions.value?.length ?? 0).toLocaleString('en')} of the{' '}
          {countOf(loadedEntities.value.length, 'row', 'rows')} read
        </span>
      )}
    </label>
  );
}

/** The number of cells of the range, and the sum of its numbers. */
export function RangeSummary() {
  const { state, columns } = source.value;
  const range = rangeOf(state);
  if (!isWide(range)) return null;
  const names = columns.slice(range.left, range.right + 1).map(({ id }) => id);
  const values = rangeRows(state).flatMap((row) => names.flatMap((name) => valueAt(row, name) ?? []));
  const numbers = values.filter(({ type }) => type === 'Edm.Int32' || type === 'Edm.Int64' || type === 'Edm.Double');
  const sum = sumOf(numbers.map(({ text }) => text));
  return (
    <span class="small" role="status">
      {countOf(values.length, 'cell', 'cells')}
      {numbers.length > 0 && ` · sum ${sum}`}
    </span>
  );
}

/** Returns the sum of numbers: of integers with all digits, of others with those that a Double has for sure. */
function sumOf(texts: readonly string[]): string {
  return texts.every((text) => /^-?\d+$/.test(text))
    ? texts.reduce((sum, text) => sum + BigInt(text), 0n).toString()
    : `≈ ${Number(texts.reduce((sum, text) => sum + Number(text), 0).toPrecision(15))}`;
}

/** Saves all drafts of the table. The panel has its own button for the one that is open. */
export function SaveAll() {
  const count = tableDrafts.value.length;
  if (tableDrafts.value.every(isOpenDraft) || !mayEdit.value) return null;
  return (
    <button
      type="button"
      class="primary"
      aria-keyshortcuts="Control+S"
      disabled={isSaving.value}
      onClick={() => void saveAll(tableDrafts.value)}
    >
      {count === 1 ? 'Save' : `Save all ${count}`}
    </button>
  );
}
