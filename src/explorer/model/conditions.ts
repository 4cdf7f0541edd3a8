import { computed, signal } from '@preact/signals';
import type { LiveHeartbeat } from '../../client/calls.js';
import { server } from '../wire/control-client.js';
import { listen } from './live.js';
import { renewInTime, renewSession } from './session.js';

const conditions = signal<Pick<LiveHeartbeat, 'faults' | 'clock' | 'isMemoryFull'> | undefined>(undefined);

/** All fault rules, including ended ones. */
export const faults = computed(() => conditions.value?.faults ?? []);

/** The clock of the server; undefined until it is known. */
export const clock = computed(() => conditions.value?.clock);

/** Whether data has filled the memory of the server. */
export const isMemoryFull = computed(() => conditions.value?.isMemoryFull ?? false);

/** The active fault rules. */
export const activeFaults = computed(() => faults.value.filter(({ ended }) => !ended));

/** Whether the clock is not the real one. */
export const isClockChanged = computed(() => clock.value?.frozen || (clock.value?.aheadMs ?? 0) > 0);

/** Follows the conditions of the server, and the accounts that come and end with branches. Call it once. */
export function startConditions(): void {
  listen({
    beat: take,
    events: (events) => events.some(({ kind }) => kind.startsWith('branch-')) && void renewSession(),
  });
}

/** Loads the fault rules, the clock and the state of the memory. */
export async function refreshConditions(): Promise<void> {
  const [listed, now, { memory }] = await Promise.all([server.faults.list(), server.clock.show(), server.info()]);
  take({ faults: listed, clock: now, isMemoryFull: memory?.isFull ?? false });
}

function take(next: NonNullable<typeof conditions.value>): void {
  conditions.value = next;
  void renewInTime(next.clock.now);
}
