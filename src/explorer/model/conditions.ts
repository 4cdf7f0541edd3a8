import { computed, signal } from '@preact/signals';
import type { ClockState } from '../../client/calls.js';
import type { FaultSummary } from '../../faults/contract.js';
import { server } from '../wire/control-client.js';
import { listen } from './live.js';
import { renewInTime, renewSession } from './session.js';

/** All fault rules, including ended ones. */
export const faults = signal<readonly FaultSummary[]>([]);

/** The clock of the server; undefined until it is known. */
export const clock = signal<ClockState | undefined>(undefined);

/** Whether data has filled the memory of the server. */
export const isMemoryFull = signal(false);

/** The active fault rules. */
export const activeFaults = computed(() => faults.value.filter(({ ended }) => !ended));

/** Whether the clock is not the real one. */
export const isClockChanged = computed(
  () => clock.value !== undefined && (clock.value.frozen || clock.value.aheadMs > 0),
);

/** Follows the conditions of the server, and the accounts that come and end with branches. Call it once. */
export function startConditions(): void {
  listen({
    beat: (beat) => void take(beat.faults, beat.clock, beat.isMemoryFull),
    events: (events) => events.some(({ kind }) => kind.startsWith('branch-')) && void renewSession(),
  });
}

/** Loads the fault rules, the clock and the state of the memory. */
export async function refreshConditions(): Promise<void> {
  const [listed, now, { memory }] = await Promise.all([server.faults.list(), server.clock.show(), server.info()]);
  await take(listed, now, memory?.isFull ?? false);
}

async function take(listed: readonly FaultSummary[], now: ClockState, isFull: boolean): Promise<void> {
  faults.value = listed;
  isMemoryFull.value = isFull;
  clock.value = now;
  await renewInTime(now.now);
}
