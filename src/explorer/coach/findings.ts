import { signal } from '@preact/signals';
import type { Finding } from '../../insight/finding.js';
import type { ShapeUsage } from '../../insight/shapes/query-shapes.js';
import { askControl, ControlError } from '../client/control-client.js';
import { showDone, showError } from '../shell/notices.js';

/** How often the coach is asked while the user looks. Unit: milliseconds. Ours. */
const askMs = 4000;

/** What the coach has found. Source: src/control/coach.ts. */
export interface CoachReport {
  readonly usage: { readonly requests: number; readonly read: number; readonly returned: number };
  readonly findings: readonly Finding[];
  readonly forgottenShapes: number;
}

/** What the coach has found; undefined before it has answered. */
export const report = signal<CoachReport | undefined>(undefined);

/** What the queries of each shape have cost, the most expensive first. */
export const queries = signal<readonly ShapeUsage[]>([]);

/** Whether the server has no coach. */
export const isCoachOff = signal(false);

/** Asks the coach again and again until the returned function is called. A hidden page does not ask. */
export function watchCoach(): () => void {
  const ask = () => {
    if (document.visibilityState === 'visible') void askCoach();
  };
  ask();
  const timer = setInterval(ask, askMs);
  return () => clearInterval(timer);
}

/** Has the coach forget what it found, as after a warm-up. */
export async function clearFindings(): Promise<void> {
  try {
    await askControl('/coach/clear', { method: 'POST' });
    await askCoach();
    showDone('The coach begins again.');
  } catch (error) {
    showError(error);
  }
}

async function askCoach(): Promise<void> {
  try {
    const [found, shapes] = await Promise.all([
      askControl<CoachReport>('/coach'),
      askControl<{ readonly queries: readonly ShapeUsage[] }>('/coach/queries'),
    ]);
    report.value = found;
    queries.value = shapes.queries;
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) isCoachOff.value = true;
    else if (report.value === undefined) showError(error);
  }
}
