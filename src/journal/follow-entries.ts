import { Readable } from 'node:stream';
import type { Journal } from './journal.js';
import type { Selection } from './select-entries.js';
import { writeEntry } from './write-entry.js';

/**
 * Returns the entries of a selection, and then each new one as it comes, as one JSON value on each line. It ends when the
 * journal is closed.
 *
 * It reads from the ring as fast as the client takes it and keeps nothing of its own. A client that is too slow gets a line
 * `{"Dropped":n}` for the entries that were overwritten.
 */
export function followEntries(journal: Journal, { after, accepts }: Selection): Readable {
  // Entries that were overwritten before are not missed by this client.
  let next = Math.max(after + 1, journal.first);
  let wanted = false;
  const write = () => {
    if (!wanted) return;
    if (next < journal.first) {
      wanted = stream.push(`${JSON.stringify({ Dropped: journal.first - next })}\n`);
      next = journal.first;
    }
    while (wanted && next < journal.next) {
      const entry = journal.read(next++);
      if (entry && accepts(entry)) wanted = stream.push(`${JSON.stringify(writeEntry(entry))}\n`);
    }
    if (journal.isClosed && next >= journal.next) stream.push(null);
  };
  const stop = journal.listen(write);
  const stream: Readable = new Readable({
    read() {
      wanted = true;
      write();
    },
    destroy(error, done) {
      stop();
      done(error);
    },
  });
  return stream;
}
