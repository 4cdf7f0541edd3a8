import { signal } from '@preact/signals';
import type { BranchSummary, SnapshotSummary, UndoSummary } from '../../client/calls.js';
import { refreshConditions } from '../model/conditions.js';
import { listen } from '../model/live.js';
import { showDone, showError } from '../model/notices.js';
import { ask } from '../parts/dialog.js';
import { server } from '../wire/control-client.js';

/** The snapshots, the branches, and the calls that can be undone, the newest last. */
export interface State {
  readonly snapshots: readonly SnapshotSummary[];
  readonly branches: readonly BranchSummary[];
  readonly undoable: readonly UndoSummary[];
}

/** The state; undefined until the server has answered. Lists that appear later would move buttons under the pointer. */
export const known = signal<State | undefined>(undefined);

/** Follows the state until the returned function is called. */
export function watchState(): () => void {
  const refresh = () => void refreshState().catch(showError);
  refresh();
  return listen({ events: refresh, missed: refresh });
}

/** Asks a question, if there is one; calls the server, confirms the change, and reloads the state. Shows an error. Returns the answer. */
export async function change<Answer>(
  call: () => Promise<Answer>,
  done: string | ((answer: Answer) => string),
  question?: Parameters<typeof ask>,
): Promise<Answer | undefined> {
  if (question && !(await ask(...question))) return undefined;
  try {
    const answer = await call();
    const { undo } = (answer ?? {}) as { readonly undo?: string };
    const text = typeof done === 'string' ? done : done(answer);
    showDone(text, undo === undefined ? undefined : { label: 'Undo', run: () => undoCall(undo) });
    await refreshState();
    return answer;
  } catch (error) {
    showError(error);
    return undefined;
  }
}

/** Undoes a call. */
export function undoCall(id: string): void {
  void change(
    () => server.undo(id),
    ({ what }) => `Undone: ${what}. Later writes to these tables are gone.`,
  );
}

async function refreshState(): Promise<void> {
  const [snapshots, branches, undoable] = await Promise.all([
    server.snapshots.list(),
    server.branches.list(),
    server.undo.list(),
    refreshConditions(),
  ]);
  known.value = { snapshots, branches, undoable };
}
