import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Filter } from '../../../query/filter.js';
import { askControl } from '../../client/control-client.js';
import { draft } from '../query.js';
import { ClauseGroup } from './clause-rows.js';
import { clausesOf, type GroupClause, writeClauses } from './clauses.js';

/** The rows; undefined while the filter is read, `null` if it has what the builder has no rows for. */
const rows = signal<GroupClause | null | undefined>(undefined);

/** The filter as rows. The service's own parser reads the text, so text and rows mean the same. */
export function Builder() {
  useEffect(() => {
    rows.value = undefined;
    void readRows(draft.value);
  }, []);
  const current = rows.value;
  if (current === undefined) return <div class="builder" />;
  if (current === null) {
    return (
      <div class="builder">
        <input readOnly aria-label="$filter" class="code" value={draft.value} />
        <p>This filter can only be changed as text.</p>
      </div>
    );
  }
  return (
    <div class="builder">
      <ClauseGroup
        group={current}
        change={(next) => {
          rows.value = next;
          draft.value = writeClauses(next);
        }}
      />
    </div>
  );
}

async function readRows(text: string): Promise<void> {
  const tree =
    text.trim() === ''
      ? {}
      : await askControl<{ readonly tree?: Filter }>('/explain?tree', { method: 'POST', body: { filter: text } }).catch(
          () => ({ tree: undefined }),
        );
  rows.value = text.trim() !== '' && !tree.tree ? null : (clausesOf(tree.tree) ?? null);
}
