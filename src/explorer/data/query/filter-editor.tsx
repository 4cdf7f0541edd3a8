import { propertyOf } from '../../base/entity.js';
import { literalOf } from '../../base/value.js';
import { columns } from '../columns.js';
import { loadedEntities } from '../rows.js';
import { draft } from './query.js';

/** Number of entities searched for values, and of values offered. (Our choice.) */
const [sampledMax, valuesMax] = [200, 12];

/** How much text at the end completion examines. Unit: UTF-16 code units. (Our choice: a link can have a very long filter.) */
const nearUnits = 1000;

/** The filter as text. The browser offers how it can continue. */
export function FilterEditor() {
  return (
    <>
      <input
        class="filter code"
        list="continued-filters"
        aria-label="$filter"
        placeholder="$filter"
        autocomplete="off"
        spellcheck={false}
        value={draft.value}
        onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
      />
      <datalist id="continued-filters">
        {continuations(draft.value).map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}

/** Returns a filter with each word that can come next: properties, operators, values of the entities, `and` and `or`. */
function continuations(text: string): readonly string[] {
  const near = text.slice(-nearUnits);
  const comparison = /([\p{L}_][\p{L}\p{N}_]*)\s+(?:eq|ne|gt|ge|lt|le)\s+(\S*)$/u.exec(near);
  const word = comparison?.[2] ?? /[\p{L}_][\p{L}\p{N}_]*$/u.exec(near)?.[0] ?? '';
  const words = comparison ? valuesOf(comparison[1] ?? '') : wordsAfter(near.slice(0, near.length - word.length));
  return words.map((one) => `${text.slice(0, text.length - word.length)}${one} `);
}

function wordsAfter(text: string): readonly string[] {
  if (/(?:'|\d[\w.]*|\b(?:true|false)|\))\s+$/.test(text)) return ['and', 'or'];
  if (/(?:^|\(|\b(?:and|or|not))\s*$/.test(text)) return columns.value.map(({ name }) => name);
  return /[\p{L}\p{N}_]\s+$/u.test(text) ? ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] : [];
}

/** Returns values of a property in memory, as the filter writes them. */
function valuesOf(name: string): readonly string[] {
  const values = loadedEntities.value.slice(0, sampledMax).flatMap((entity) => propertyOf(entity, name) ?? []);
  const literals = values.filter(({ text }) => text.length <= 100).map(literalOf);
  return [...new Set(literals)].slice(0, valuesMax);
}
