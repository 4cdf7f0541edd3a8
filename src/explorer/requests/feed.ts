import { signal } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { ControlError, fetchVerb, serverUntil } from '../client/control-client.js';
import { showError } from '../shell/notices.js';

/** How many requests the page keeps. It is what the journal of the server keeps by default. */
const entriesMax = 4096;

/** How often a page asks that cannot share a stream. Unit: milliseconds. Ours. */
const pollMs = 2000;

/** How long a page waits before it follows again after the stream broke. Unit: milliseconds. Ours. */
const pauseMs = 2000;

/** The requests that are known, the oldest first, those of the page included. */
export const entries = signal<readonly LogEntry[]>([]);

/** Whether the server keeps no journal. */
export const isJournalOff = signal(false);

/**
 * Follows the journal until the returned function is called. All pages of a browser share one stream, because a browser opens at
 * most six connections to a server: the page that holds the lock follows and tells the others.
 */
export function followRequests(): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel('tabularium.requests');
  channel.onmessage = ({ data }: MessageEvent<readonly LogEntry[]>) => void hear(data);
  void run(stop.signal, channel);
  return () => {
    stop.abort();
    channel.close();
  };
}

/** Forgets the requests that are shown. The journal of the server keeps them. */
export function clearRequests(): void {
  clearedTo = lastSeq();
  entries.value = [];
}

/** The position up to which the user has cleared. */
let clearedTo = 0;

async function run(stop: AbortSignal, channel: BroadcastChannel): Promise<void> {
  try {
    await catchUp(stop);
    // Locks exist only on pages from this machine and with TLS.
    if (navigator.locks)
      await navigator.locks.request('tabularium.requests', { signal: stop }, () => lead(stop, channel));
    else await poll(stop);
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) isJournalOff.value = true;
    else if (!stop.aborted) showError(error);
  }
}

/** Follows the stream and tells the other pages, again and again if it breaks. */
async function lead(stop: AbortSignal, channel: BroadcastChannel): Promise<void> {
  while (!stop.aborted) {
    try {
      for await (const line of await serverUntil(stop).requests.follow({ explorer: true, after: lastSeq() })) {
        if (!('Seq' in line)) continue;
        addLater(line);
        channel.postMessage([line]);
      }
    } catch {
      // The server was restarted, or it has too many followers. The next turn tells which.
    }
    if (stop.aborted) return;
    await pause(pauseMs, stop);
    await catchUp(stop).catch(() => undefined);
  }
}

async function poll(stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await pause(pollMs, stop);
    await catchUp(stop);
  }
}

/** Asks for what this page has missed. */
async function catchUp(stop: AbortSignal): Promise<void> {
  const known = lastSeq();
  const answer = await fetchVerb('request list', { explorer: true, limit: entriesMax, after: known }, stop);
  const { requests, next } = (await answer.json()) as { readonly requests: readonly LogEntry[]; readonly next: number };
  // Positions begin again when the server was restarted.
  if (next <= known) {
    clearedTo = 0;
    entries.value = [];
    return catchUp(stop);
  }
  add(requests);
}

/** Takes what another page tells. A gap means that this page came later. */
async function hear(told: readonly LogEntry[]): Promise<void> {
  const [first] = told;
  if (first && first.Seq > lastSeq() + 1) await catchUp(AbortSignal.timeout(pollMs)).catch(() => undefined);
  add(told);
}

let waiting: LogEntry[] = [];

/** Adds entries once for each frame: a busy server writes thousands of lines in a second. */
function addLater(entry: LogEntry): void {
  waiting.push(entry);
  if (waiting.length > 1) return;
  requestAnimationFrame(() => {
    const all = waiting;
    waiting = [];
    add(all);
  });
}

function add(more: readonly LogEntry[]): void {
  const known = lastSeq();
  const fresh = more.filter(({ Seq }) => Seq > known && Seq > clearedTo);
  if (fresh.length > 0) entries.value = [...entries.value, ...fresh].slice(-entriesMax);
}

function lastSeq(): number {
  return entries.value.at(-1)?.Seq ?? clearedTo;
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
