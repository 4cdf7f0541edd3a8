import { Readable } from 'node:stream';
import { EventLoopTurn } from '../../store/event-loop-turn.js';
import type { Journal } from './journal.js';

/** How many clients may follow a journal at a time. (Our choice: each takes time for every request.) */
export const followersMax = 16;

/** As many clients follow a journal as may. */
export class TooManyFollowers extends Error {
  override readonly name = 'TooManyFollowers';

  constructor() {
    super(`${followersMax} clients follow the journal already. Stop one of them.`);
  }
}

/** How long a stream is silent at most. Unit: milliseconds. (Our choice: proxies close connections that say nothing for longer.) */
const heartbeatMs = 15_000;

/** What a stream follows. */
export interface FollowedRing {
  /** Tells when there is more, and when it ends. */
  readonly journal: Pick<Journal, 'isClosed' | 'listen' | 'listeners'>;
  /** The ring: the positions of its oldest entry, and of the one that comes next. */
  readonly ring: { readonly first: number; readonly next: number };
  /** The position to begin at. */
  readonly from: number;
  /** Returns what to send of the entry at a position; undefined if it is not wanted. */
  readonly read: (seq: number) => object | undefined;
  /** Returns what to send in place of entries that were overwritten. */
  readonly dropped: (count: number) => object;
}

/**
 * Returns the entries of a ring, and then each new one as it comes, as one JSON value on each line. A line without a
 * value comes when there was nothing for 15 seconds. It ends when the journal is closed.
 *
 * It reads from the ring as fast as the client takes it and keeps nothing of its own. A client that is too slow is told how
 * many entries were overwritten. It works after the request that it shows, in turns that all streams share.
 *
 * Errors: TooManyFollowers.
 */
export function followRing({ journal, ring, from, read, dropped }: FollowedRing): Readable {
  if (journal.listeners >= followersMax) throw new TooManyFollowers();
  // Entries that were overwritten before are not missed by this client.
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
