import { effect, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Filter } from '../../../query/filter/filter.js';
import { server } from '../../client/control-client.js';
import { showError } from '../../shell/notices.js';
import { draft } from '../query/query.js';
import { ClauseGroup } from './clause-rows.js';
import { clausesOf, type GroupClause, writeClauses } from './clauses.js';

/** The rows; undefined while the filter is read, `null` if it has what the builder has no rows for. */
const rows = signal<GroupClause | null | undefined>(undefined);

/** The text that the rows were written as last; undefined before the first change of a row. */
let written: string | undefined;

/** The filter as rows. The service's own parser reads the text, so text and rows mean the same. */
export function Builder() {
  useLayoutEffect(followDraft, []);
  const current = rows.value;
  if (current === undefined) return <div class="builder" />;
  if (current === null) {
    return (
      <div class="builder">
        <input readOnly aria-label="$filter" class="code" value={draft.value} />
        <p>This filter can only be edited as text.</p>
      </div>
    );
  }
  return (
    <div class="builder">
      <ClauseGroup
        group={current}
        change={(next) => {
          rows.value = next;
          written = writeClauses(next);
          draft.value = written;
        }}
      />
    </div>
  );
}

/** Reads the rows whenever the filter becomes another than the one that the rows were written as. */
function followDraft(): () => void {
  written = undefined;
  return effect(() => {
    if (draft.value !== written) void readRows(draft.value);
  });
}

async function readRows(text: string): Promise<void> {
  rows.value = undefined;
  const read = await askTree(text);
  if (draft.value === text) rows.value = read ?? null;
}

/** Returns the rows of a filter; undefined if it is refused, or has what the builder has no rows for. */
async function askTree(text: string): Promise<GroupClause | undefined> {
  if (text.trim() === '') return clausesOf(undefined);
  try {
    const { tree } = (await server.explain(text, { tree: true })) as { readonly tree?: Filter };
    return tree && clausesOf(tree);
  } catch (error) {
    showError(error);
    return undefined;
  }
}
