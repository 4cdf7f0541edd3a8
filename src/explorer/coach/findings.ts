import { signal } from '@preact/signals';
import type { CoachAnswer } from '../../client/calls.js';
import type { ShapeUsage } from '../../insight/shapes/query-shapes.js';
import { ControlError, server } from '../client/control-client.js';
import { showDone, showError } from '../shell/notices.js';

/** How often the coach is asked while the user looks. Unit: milliseconds. Ours. */
const askMs = 4000;

/** What the coach has found; undefined before it has answered. */
export const report = signal<CoachAnswer | undefined>(undefined);

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
    await server.coach.clear();
    await askCoach();
    showDone('The findings were cleared.');
  } catch (error) {
    showError(error);
  }
}

async function askCoach(): Promise<void> {
  try {
    const found = await server.coach.show();
    report.value = found;
    queries.value = found.queries;
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) isCoachOff.value = true;
    else if (report.value === undefined) showError(error);
  }
}
