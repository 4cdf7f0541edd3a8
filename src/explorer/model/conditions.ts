import { computed, signal } from '@preact/signals';
import type { ClockState } from '../../client/calls.js';
import type { FaultSummary } from '../../faults/contract.js';
import { isConnected } from '../wire/connection.js';
import { server } from '../wire/control-client.js';
import { poll } from './poll.js';
import { renewInTime, session, takeSession } from './session.js';

/** Time between two polls. Unit: milliseconds. (Our choice: rules end by themselves.) */
const askMs = 4000;

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

/** How often the page tries to reach a server that does not answer. Unit: milliseconds. (Our choice.) */
const retryMs = 1000;

/** Counts how often the server answered again after it had not. Data that was read before may be out of date. */
export const reconnections = signal(0);

/** Polls the conditions of the server while the page is visible, and tries to reach a server that does not answer. Call it once. */
export function startConditions(): void {
  const isSilent = () => undefined;
  poll(async () => session.value && refreshConditions(), askMs, isSilent);
  poll(async () => (isConnected.value ? undefined : reconnect()), retryMs, isSilent);
}

/** Tries to reach a server that does not answer. It may be another one since, with other signatures. */
export async function reconnect(): Promise<void> {
  takeSession(await server.session());
  reconnections.value++;
}

/** Loads the fault rules, the clock and the state of the memory. */
export async function refreshConditions(): Promise<void> {
  const [listed, now, { memory }] = await Promise.all([server.faults.list(), server.clock.show(), server.info()]);
  faults.value = listed;
  isMemoryFull.value = memory?.isFull ?? false;
  clock.value = now;
  await renewInTime(now.now);
}
