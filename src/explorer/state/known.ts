import { signal } from '@preact/signals';
import type { BranchSummary, UndoSummary } from '../../state/contract.js';
import type { SnapshotSummary } from '../../store/snapshot-summary.js';
import { askControl, type ControlQuestion } from '../client/control-client.js';
import { refreshConditions } from '../shell/conditions.js';
import { showDone, showError } from '../shell/notices.js';

/** How often the server is asked while the user looks. Unit: milliseconds. Ours: rules end by themselves. */
const askMs = 3000;

/** Whether the server has answered once. Lists that come later would move what the user is about to press. */
export const isKnown = signal(false);

/** All snapshots, by name. */
export const snapshots = signal<readonly SnapshotSummary[]>([]);

/** All branches. */
export const branches = signal<readonly BranchSummary[]>([]);

/** The calls that can be undone, the newest last. */
export const undoable = signal<readonly UndoSummary[]>([]);

/** Asks for the state again and again until the returned function is called. A hidden page does not ask. */
export function watchState(): () => void {
  const ask = () => {
    if (document.visibilityState === 'visible') refreshState().catch(showError);
  };
  ask();
  const timer = setInterval(() => {
    // An error is shown once: the next answer shows whether the server is back.
    if (document.visibilityState === 'visible') refreshState().catch(() => undefined);
  }, askMs);
  return () => clearInterval(timer);
}

/** Has the server do something, shows what it did, and asks for the state again. Returns the answer, or undefined if it refused. */
export async function change<Answer>(
  path: string,
  question: ControlQuestion,
  done: (answer: Answer) => string,
): Promise<Answer | undefined> {
  try {
    const answer = await askControl<Answer & { readonly undo?: string }>(path, question);
    const { undo } = answer;
    showDone(done(answer), undo === undefined ? undefined : { label: 'Undo', run: () => void undoCall(undo) });
    await refreshState();
    return answer;
  } catch (error) {
    showError(error);
    return undefined;
  }
}

/** Gives back what a call has removed. */
export async function undoCall(id: string): Promise<void> {
  type Report = { readonly what: string; readonly leftOutCount: number };
  await change<Report>(`/undo/${id}`, { method: 'POST' }, ({ what, leftOutCount }) =>
    leftOutCount === 0
      ? `Undone: ${what}.`
      : `Undone: ${what}. ${leftOutCount} stay, because others changed them since.`,
  );
}

/** Asks for the whole state. */
export async function refreshState(): Promise<void> {
  const [snapshotList, branchList, undoList] = await Promise.all([
    askControl<{ readonly snapshots: readonly SnapshotSummary[] }>('/snapshots'),
    askControl<{ readonly branches: readonly BranchSummary[] }>('/branches'),
    askControl<{ readonly undo: readonly UndoSummary[] }>('/undo'),
    refreshConditions(),
  ]);
  snapshots.value = snapshotList.snapshots;
  branches.value = branchList.branches;
  undoable.value = undoList.undo;
  isKnown.value = true;
}
