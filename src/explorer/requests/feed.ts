import { signal } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { showError } from '../model/notices.js';
import { poll } from '../model/poll.js';
import { fetchVerb, isMissing } from '../wire/control-client.js';

/** How many requests the page keeps: as many as the journal of the server keeps by default. */
const entriesMax = 4096;

/** Time between two polls of a visible page. Unit: milliseconds. (Our choice.) */
const askMs = 1000;

/** The known requests, the oldest first, those of the page included. */
export const entries = signal<readonly LogEntry[]>([]);

/** Whether the server keeps no journal. */
export const isJournalOff = signal(false);

/** Whether the requests so far have been read. */
export const isLoaded = signal(false);

/** The position up to which the user has cleared the list. */
let clearedTo = 0;

/** Polls new requests until the returned function is called. A hidden page does not poll. */
export function followRequests(): () => void {
  return poll(catchUp, askMs, (error) => {
    if (isMissing(error)) isJournalOff.value = true;
    else showError(error);
  });
}

/** Empties the list. The journal of the server keeps the requests. */
export function clearRequests(): void {
  clearedTo = lastSeq();
  entries.value = [];
}

/** Reads the requests that the page does not have yet. */
async function catchUp(): Promise<void> {
  const known = lastSeq();
  const answer = await fetchVerb('request list', { explorer: true, limit: entriesMax, after: known });
  const { requests, next } = (await answer.json()) as { readonly requests: readonly LogEntry[]; readonly next: number };
  // Positions begin again after a restart of the server.
  if (next <= known) {
    clearedTo = 0;
    entries.value = [];
    return catchUp();
  }
  const fresh = requests.filter(({ Seq }) => Seq > lastSeq());
  isLoaded.value = true;
  if (fresh.length > 0) entries.value = [...entries.value, ...fresh].slice(-entriesMax);
}

function lastSeq(): number {
  return entries.value.at(-1)?.Seq ?? clearedTo;
}
