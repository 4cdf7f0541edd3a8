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

/** Announces new entries and the end. */
export type Announcer = Pick<Journal, 'isClosed' | 'listen' | 'listeners'>;

/** A ring of entries, as a stream sends them. */
export interface FollowedRing {
  /** The positions of the oldest and the next entry. */
  readonly ring: { readonly first: number; readonly next: number };
  /** The first position. */
  readonly from: number;
  /** Returns the value to send for the entry at a position; undefined to skip it. */
  readonly read: (seq: number) => object | undefined;
  /** Returns the value to send in place of overwritten entries. */
  readonly dropped: (count: number) => object;
}

/** Several rings in one stream. */
export interface FollowedRings {
  readonly announcers: readonly Announcer[];
  readonly rings: readonly FollowedRing[];
  /** Time in which new entries are gathered before they are sent. Unit: milliseconds. */
  readonly gatherMs: number;
  /** Time between two beats. Unit: milliseconds. */
  readonly beatMs: number;
  /** Returns the value of a beat, which is also sent first, by the position of the next entry of each ring. Absent: empty lines in silence. */
  readonly beat?: (positions: readonly number[]) => object;
}

/**
 * Streams the entries of a ring, and then each new one, as one JSON value per line. After 15 seconds of silence it sends an empty
 * line. It ends when the journal is closed. Errors: TooManyFollowers.
 */
export function followRing({ journal, from, ...rest }: FollowedRing & { readonly journal: Announcer }): Readable {
  // Entries that were overwritten earlier do not count as dropped.
  const ring = { ...rest, from: Math.max(from, rest.ring.first) };
  return followRings({ announcers: [journal], rings: [ring], gatherMs: 0, beatMs: heartbeatMs });
}

/**
 * Streams the entries of several rings, as `followRing` does. It ends when one of the announcers is closed.
 *
 * It reads from the rings as fast as the client accepts data, and buffers nothing itself. A client that is too slow gets the number
 * of overwritten entries. It works after the observed request, in turns shared by all streams. Errors: TooManyFollowers.
 */
export function followRings({ announcers, rings, gatherMs, beatMs, beat }: FollowedRings): Readable {
  if (announcers.some(({ listeners }) => listeners >= followersMax)) throw new TooManyFollowers();
  const followed = rings.map((one) => ({ ...one, next: one.from }));
  const turn = new EventLoopTurn();
  let isWanted = false;
  let isScheduled = false;
  let hasBegun = false;
  let gathering: NodeJS.Timeout | undefined;
  const isClosed = () => announcers.some((one) => one.isClosed);
  const push = (value: object) => {
    isWanted = stream.push(`${JSON.stringify(value)}\n`);
  };
  const sendBeat = () => {
    if (!isWanted) return;
    const value = beat?.(followed.map(({ next }) => next));
    if (value) push(value);
    else isWanted = stream.push('\n');
  };
  const startTurn = () => void turn.next().then(write);
  const schedule = () => {
    if (isScheduled || !isWanted) return;
    isScheduled = true;
    if (gatherMs === 0 || isClosed()) startTurn();
    else gathering = setTimeout(startTurn, gatherMs);
  };
  const write = () => {
    isScheduled = false;
    if (stream.destroyed) return;
    for (const one of followed) {
      if (!isWanted) return;
      if (one.next < one.ring.first) {
        push(one.dropped(one.ring.first - one.next));
        one.next = one.ring.first;
      }
      while (isWanted && one.next < one.ring.next) {
        if (turn.isOver(1)) {
          isScheduled = true;
          return startTurn();
        }
        const value = one.read(one.next++);
        if (!value) continue;
        // Only silence needs an empty line.
        if (!beat) heartbeat.refresh();
        push(value);
      }
    }
    if (!isClosed() || followed.some(({ next, ring }) => next < ring.next)) return;
    isWanted = false;
    stream.push(null);
  };
  const stops = announcers.map((one) => one.listen(schedule));
  const heartbeat = setInterval(sendBeat, beatMs).unref();
  const stream: Readable = new Readable({
    read() {
      isWanted = true;
      if (beat && !hasBegun) {
        hasBegun = true;
        sendBeat();
      }
      schedule();
    },
    destroy(error, done) {
      clearInterval(heartbeat);
      clearTimeout(gathering);
      for (const stop of stops) stop();
      done(error);
    },
  });
  return stream;
}
