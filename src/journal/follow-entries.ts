import { Readable } from 'node:stream';
import { EventLoopTurn } from '../store/event-loop-turn.js';
import type { Journal } from './journal.js';
import type { Selection } from './select-entries.js';
import { writeEntry } from './write-entry.js';

/**
 * Returns the entries of a selection, and then each new one as it comes, as one JSON value on each line. It ends when the
 * journal is closed.
 *
 * It reads from the ring as fast as the client takes it and keeps nothing of its own. A client that is too slow gets a line
 * `{"Dropped":n}` for the entries that were overwritten. It works after the request that it shows, in turns that all streams share.
 */
export function followEntries(journal: Journal, { after, accepts }: Selection): Readable {
  // Entries that were overwritten before are not missed by this client.
  let next = Math.max(after + 1, journal.first);
  const turn = new EventLoopTurn();
  let isWanted = false;
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled || !isWanted) return;
    isScheduled = true;
    void turn.next().then(write);
  };
  const write = () => {
    isScheduled = false;
    if (stream.destroyed) return;
    if (next < journal.first) {
      isWanted = stream.push(`${JSON.stringify({ Dropped: journal.first - next })}\n`);
      next = journal.first;
    }
    while (isWanted && next < journal.next) {
      if (turn.isOver(1)) return schedule();
      const entry = journal.read(next++);
      if (entry && accepts(entry)) isWanted = stream.push(`${JSON.stringify(writeEntry(entry))}\n`);
    }
    if (!journal.isClosed || next < journal.next) return;
    isWanted = false;
    stream.push(null);
  };
  const stop = journal.listen(schedule);
  const stream: Readable = new Readable({
    read() {
      isWanted = true;
      schedule();
    },
    destroy(error, done) {
      stop();
      done(error);
    },
  });
  return stream;
}
