import type { Readable } from 'node:stream';
import { followRing } from './follow-ring.js';
import type { Journal } from './journal.js';
import { type RequestWish, selectionOf } from './select-entries.js';
import { writeEntry } from './write-entry.js';

/**
 * Returns the entries of a wish, and then each new one as it comes, as `followRing` does. A client that is too slow gets a line
 * `{"Dropped":n}`. Errors: TooManyFollowers.
 */
export function followEntries(journal: Journal, wish: RequestWish): Readable {
  const { after, accepts } = selectionOf(wish);
  return followRing({
    journal,
    ring: journal,
    from: after + 1,
    read(seq) {
      const entry = journal.read(seq);
      return entry && accepts(entry) ? writeEntry(entry) : undefined;
    },
    dropped: (count) => ({ Dropped: count }),
  });
}
