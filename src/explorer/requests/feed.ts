import { computed, signal } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { listen } from '../model/live.js';
import { showError } from '../model/notices.js';
import { Unreachable } from '../wire/connection.js';
import { fetchVerb, isMissing } from '../wire/control-client.js';

/** How many requests the page keeps: as many as the journal of the server keeps by default. */
const entriesMax = 4096;

/** The known requests, the oldest first, those of the page included. */
const known = signal<readonly LogEntry[]>([]);

/** The newest request that is shown while the list is held; undefined while it follows. */
const heldAt = signal<number | undefined>(undefined);

/** The requests that are shown, the oldest first, those of the page included. */
export const entries = computed(() => {
  const last = heldAt.value;
  return last === undefined ? known.value : known.value.filter(({ Seq }) => Seq <= last);
});

/** The requests that have come since the list is held. */
export const held = computed(() => known.value.slice(entries.value.length));

/** Whether the requests so far have been read. */
export const isLoaded = signal(false);

/** The position up to which the user has cleared the list. */
let clearedTo = 0;

/** What comes while the requests so far are read. */
let waiting: LogEntry[] | undefined;

/** Follows the requests until the returned function is called. */
export function followRequests(): () => void {
  void catchUp();
  return listen({ requests: (fresh) => (waiting ? waiting.push(...fresh) : add(fresh)), missed: () => void catchUp() });
}

/** Holds the list as it is while one of its requests is read, or lets it follow. */
export function holdRequests(isHeld: boolean): void {
  heldAt.value = isHeld ? (heldAt.peek() ?? lastSeq()) : undefined;
}

/** Shows the requests that have come since the list is held, and holds it again. */
export function takeRequests(): void {
  heldAt.value = lastSeq();
}

/** Empties the list. The journal of the server keeps the requests. */
export function clearRequests(): void {
  clearedTo = lastSeq();
  known.value = [];
}

/** Reads the requests that the page does not have yet. */
async function catchUp(): Promise<void> {
  if (waiting) return;
  waiting = [];
  try {
    const after = lastSeq();
    const answer = await fetchVerb('request list', { explorer: true, limit: entriesMax, after });
    const { requests, next } = (await answer.json()) as {
      readonly requests: readonly LogEntry[];
      readonly next: number;
    };
    isLoaded.value = true;
    // Positions begin again after a restart of the server.
    if (next <= after) {
      clearedTo = 0;
      heldAt.value = undefined;
      known.value = [];
      waiting = undefined;
      return catchUp();
    }
    add(requests);
    // Held by a request in the address, before any was known.
    if (heldAt.peek() === 0) takeRequests();
    add(waiting);
  } catch (error) {
    // The mark of the connection says that the server does not answer.
    if (!isMissing(error) && !(error instanceof Unreachable)) showError(error);
  }
  waiting = undefined;
}

function add(fresh: readonly LogEntry[]): void {
  const last = lastSeq();
  const later = fresh.filter(({ Seq }) => Seq > last);
  if (later.length > 0) known.value = [...known.value, ...later].slice(-entriesMax);
}

function lastSeq(): number {
  return known.value.at(-1)?.Seq ?? clearedTo;
}
