import type { EntityText } from '../../entity/stored/entity.js';
import { propertyReader } from '../../entity/stored/read-property.js';
import { compileFilter } from '../../query/filter/evaluate-filter.js';
import { parseFilter } from '../../query/filter/parse-filter.js';
import type { StoredPart, StoreView } from '../../store/stored-parts.js';

/** The tables and entities of an export, in the order of `StoreView.read`. */
export type ExportedPart = Extract<StoredPart, { readonly kind: 'table' | 'entities' }>;

/** Returns the tables of a view, with those of their entities that a `$filter` finds. Errors: TableError for a filter. */
export function exportedParts(view: StoreView, filter: string | undefined): () => AsyncIterable<ExportedPart> {
  const parsed = filter === undefined ? undefined : parseFilter(filter);
  const test = parsed && compileFilter<EntityText>(parsed, propertyReader);
  return async function* () {
    for await (const part of view.read()) {
      if (part.kind === 'table') yield part;
      if (part.kind === 'entities') yield test ? { kind: 'entities', texts: part.texts.filter(test) } : part;
    }
  };
}
