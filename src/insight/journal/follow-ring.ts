import { Readable } from 'node:stream';
import { EventLoopTurn } from '../../store/event-loop-turn.js';
import type { Journal } from './journal.js';

/** Maximum number of clients that follow a journal at a time. (Our choice: each costs time per request.) */
export const followersMax = 16;

/** The journal already has its maximum number of followers. */
export class TooManyFollowers extends Error {
  override readonly name = 'TooManyFollowers';

  constructor() {
    super(`${followersMax} clients follow the journal already. Stop one of them.`);
  }
}

/** Longest silence of a stream. Unit: milliseconds. (Our choice: proxies close connections that are silent for longer.) */
const heartbeatMs = 15_000;

/** The source of a stream. */
export interface FollowedRing {
  /** Announces new entries and the end. */
  readonly journal: Pick<Journal, 'isClosed' | 'listen' | 'listeners'>;
  /** The positions of the oldest and the next entry. */
  readonly ring: { readonly first: number; readonly next: number };
  /** The first position. */
  readonly from: number;
  /** Returns the value to send for the entry at a position; undefined to skip it. */
  readonly read: (seq: number) => object | undefined;
  /** Returns the value to send in place of overwritten entries. */
  readonly dropped: (count: number) => object;
}

/**
 * Streams the entries of a ring, and then each new one, as one JSON value per line. After 15 seconds of silence it sends an empty
 * line. It ends when the journal is closed.
 *
 * It reads from the ring as fast as the client accepts data, and buffers nothing itself. A client that is too slow gets the number
 * of overwritten entries. It works after the observed request, in turns shared by all streams. Errors: TooManyFollowers.
 */
export function followRing({ journal, ring, from, read, dropped }: FollowedRing): Readable {
  if (journal.listeners >= followersMax) throw new TooManyFollowers();
  // Entries that were overwritten earlier do not count as dropped.
  let next = Math.max(from, ring.first);
  const turn = new EventLoopTurn();
  let isWanted = false;
  let isScheduled = false;
  const push = (value: object) => {
    heartbeat.refresh();
    isWanted = stream.push(`${JSON.stringify(value)}\n`);
  };
  const schedule = () => {
    if (isScheduled || !isWanted) return;
    isScheduled = true;
    void turn.next().then(write);
  };
  const write = () => {
    isScheduled = false;
    if (stream.destroyed) return;
    if (next < ring.first) {
      push(dropped(ring.first - next));
      next = ring.first;
    }
    while (isWanted && next < ring.next) {
      if (turn.isOver(1)) return schedule();
      const value = read(next++);
      if (value) push(value);
    }
    if (!journal.isClosed || next < ring.next) return;
    isWanted = false;
    stream.push(null);
  };
  const stop = journal.listen(schedule);
  const heartbeat = setInterval(() => {
    if (isWanted) isWanted = stream.push('\n');
  }, heartbeatMs).unref();
  const stream: Readable = new Readable({
    read() {
      isWanted = true;
      schedule();
    },
    destroy(error, done) {
      clearInterval(heartbeat);
      stop();
      done(error);
    },
  });
  return stream;
}
