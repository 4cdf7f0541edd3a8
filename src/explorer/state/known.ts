import { signal } from '@preact/signals';
import type { BranchSummary, SnapshotSummary, UndoSummary } from '../../client/calls.js';
import { refreshConditions } from '../model/conditions.js';
import { showDone, showError } from '../model/notices.js';
import { poll } from '../model/poll.js';
import { server } from '../wire/control-client.js';

/** How often the page polls the server. Unit: milliseconds. (Our choice: rules end by themselves.) */
const askMs = 3000;

/** Whether the server has answered once. Lists that appear later would move buttons under the pointer. */
export const isKnown = signal(false);

/** All snapshots, by name. */
export const snapshots = signal<readonly SnapshotSummary[]>([]);

/** All branches. */
export const branches = signal<readonly BranchSummary[]>([]);

/** The calls that can be undone, the newest last. */
export const undoable = signal<readonly UndoSummary[]>([]);

/** Polls the state until the returned function is called. A hidden page does not poll. */
export function watchState(): () => void {
  return poll(refreshState, askMs);
}

/** Calls the server, confirms the change, and reloads the state. Returns the answer, or undefined after an error, which is shown. */
export async function change<Answer>(
  call: () => Promise<Answer>,
  done: (answer: Answer) => string,
): Promise<Answer | undefined> {
  try {
    const answer = await call();
    const { undo } = (answer ?? {}) as { readonly undo?: string };
    showDone(done(answer), undo === undefined ? undefined : { label: 'Undo', run: () => void undoCall(undo) });
    await refreshState();
    return answer;
  } catch (error) {
    showError(error);
    return undefined;
  }
}

/** Undoes a call. */
export async function undoCall(id: string): Promise<void> {
  await change(
    () => server.undo(id),
    ({ what }) => `Undone: ${what}. Later writes to these tables are gone.`,
  );
}

async function refreshState(): Promise<void> {
  [snapshots.value, branches.value, undoable.value] = await Promise.all([
    server.snapshots.list(),
    server.branches.list(),
    server.undo.list(),
    refreshConditions(),
  ]);
  isKnown.value = true;
}
