import { effect, signal } from '@preact/signals';
import type { LiveHeartbeat, LogEntry, ServerCalls, ServerEvent, WrittenChange } from '../../client/calls.js';
import { lostSince, Unreachable } from '../wire/connection.js';
import { ControlError, needsToken, server, serverUntil } from '../wire/control-client.js';
import { takeSession } from './session.js';

/** Whether the page follows the server. Nothing else on the page says so. */
export interface Live {
  readonly state: 'connecting' | 'connected' | 'retrying' | 'off';
  /** Why the server does not let the page follow. */
  readonly reason?: string;
}

/** Whether the page follows the server. */
export const live = signal<Live>({ state: 'connecting' });

/** Whether the server keeps a journal. Without one, only tables and states are followed, not requests and rows. */
export const hasJournal = signal(true);

/** Gets what happens on the server. */
export interface Listener {
  requests?(entries: readonly LogEntry[]): void;
  changes?(changes: readonly WrittenChange[]): void;
  events?(events: readonly ServerEvent[]): void;
  beat?(beat: LiveHeartbeat): void;
  /** Something may have been missed: what is shown should be read again. */
  missed?(): void;
}

const listeners = new Set<Listener>();

/** Adds a listener. Returns a function that removes it. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The waits between two attempts. Unit: milliseconds. (Our choice: a server restarts within a second, or not soon.) */
const [pauseMsMin, pauseMsMax] = [500, 8000];

/** Longest silence of a connection that works: three heartbeats. Unit: milliseconds. */
const silentMsMax = 12_000;

/** Time between two deliveries to listeners. Unit: milliseconds. (Our choice: a busy server writes hundreds of lines a second.) */
const deliveryMs = 500;

/** Ends the stream, so that the connection is tried again. */
let ending = new AbortController();
let wake = () => {};

/** Follows the server while the page is visible. Call it once. */
export function startLive(): void {
  let hidden = new AbortController();
  const look = () => {
    hidden.abort();
    hidden = new AbortController();
    if (document.visibilityState === 'visible') void run(hidden.signal);
  };
  document.addEventListener('visibilitychange', look);
  addEventListener('offline', () => ending.abort());
  // Another request has not reached the server. A stream of a dead network may not know it yet.
  effect(() => {
    if (lostSince.value === undefined) wake();
    else ending.abort();
  });
  effect(() => void (needsToken.value || wake()));
  look();
}

/** Tries to reach the server now. */
export function retryNow(): void {
  wake();
}

async function run(hidden: AbortSignal): Promise<void> {
  for (let tries = 0; !hidden.aborted; tries++) {
    ending = new AbortController();
    let beats = 0;
    try {
      await follow(AbortSignal.any([hidden, ending.signal]), () => beats++);
    } catch (error) {
      if (!hidden.aborted) take(error);
    }
    // A server that accepts and ends each stream is asked less and less often, too.
    if (beats > 1) tries = 0;
    if (tries > 0) await pause(Math.min(pauseMsMax, pauseMsMin * 2 ** (tries - 1)), hidden);
  }
}

/** Takes the end of a stream. One that only broke is tried again, before anyone is told. */
function take(error: unknown): void {
  if (error instanceof Unreachable) live.value = { state: 'retrying' };
  else if (!(error instanceof ControlError)) return;
  else if (error.status !== 410) live.value = { state: 'off', reason: error.message };
  else [place, hasMissed] = [undefined, true];
}

function pause(ms: number, hidden: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve;
    setTimeout(wake, ms);
    hidden.addEventListener('abort', wake);
  });
}

type Line = Awaited<ReturnType<ServerCalls['live']>> extends AsyncIterable<infer One> ? One : never;

/** Where the stream is: the run of the server, and the positions of its next event, request and change. Undefined: nowhere yet, or lost. */
let place: string[] | undefined;

async function follow(stopped: AbortSignal, onBeat: () => void): Promise<void> {
  const stream = await serverUntil(stopped).live({ since: place?.join('-') ?? 'now' });
  let isFirst = true;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const listenOn = () => {
    clearTimeout(silence);
    silence = setTimeout(() => ending.abort(), silentMsMax);
  };
  try {
    listenOn();
    for await (const line of stream) {
      listenOn();
      if ('position' in line) {
        onBeat();
        if (isFirst) await begin();
        isFirst = false;
        place ??= line.position.split('-');
        hasJournal.value = line.journal;
        for (const one of listeners) one.beat?.(line);
      } else hear(line);
    }
  } finally {
    clearTimeout(silence);
  }
}

/** Begins with a stream. After a break it may be of another server, with other signatures, and what is shown may be out of date. */
async function begin(): Promise<void> {
  const { state } = live.value;
  if (state !== 'connected') live.value = { state: 'connected' };
  hasMissed ||= state === 'retrying' || state === 'off';
  if (!hasMissed) return;
  takeSession(await server.session());
  plan();
}

/** The lines since the last delivery. */
let lines: Exclude<Line, LiveHeartbeat>[] = [];
let hasMissed = false;
let isPlanned = false;
let deliveredAt = 0;

function hear(line: (typeof lines)[number]): void {
  lines.push(line);
  if ('dropped' in line) hasMissed = true;
  else if (place) {
    // In the order of a position.
    const [at, seq] =
      'event' in line ? [1, line.event.seq] : 'request' in line ? [2, line.request.Seq] : [3, line.change.seq];
    place[at] = String(seq + 1);
  }
  plan();
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(deliver, Math.max(0, deliveredAt + deliveryMs - performance.now()));
}

function deliver(): void {
  deliveredAt = performance.now();
  const [delivered, missed] = [lines, hasMissed];
  [lines, hasMissed, isPlanned] = [[], false, false];
  const events = delivered.flatMap((line) => ('event' in line ? [line.event] : []));
  const changes = delivered.flatMap((line) => ('change' in line ? [line.change] : []));
  const requests = delivered.flatMap((line) => ('request' in line ? [line.request] : []));
  for (const one of listeners) {
    if (missed) one.missed?.();
    if (events.length > 0) one.events?.(events);
    if (changes.length > 0) one.changes?.(changes);
    if (requests.length > 0) one.requests?.(requests);
  }
}
