import type { Readable } from 'node:stream';
import { PlaceLost, ringOfChanges } from '../journal/changes/select-changes.js';
import { type FollowedRing, followRings } from '../journal/follow-ring.js';
import type { Journal } from '../journal/journal.js';
import { ringOfEntries } from '../journal/select-entries.js';
import type { ServerEvents } from './server-events.js';

/** Time between two heartbeats. Unit: milliseconds. (Our choice: a page should soon see that a rule for faults has ended.) */
const beatMs = 4000;

/** Time in which new lines are gathered. Unit: milliseconds. (Our choice: nobody sees it, and a busy server wakes its page less often.) */
const gatherMs = 100;

/** What a stream follows. */
export interface LiveSources {
  /** Differs between two runs of a server, whose positions begin again. */
  readonly run: string;
  readonly events: ServerEvents;
  /** Absent: the server keeps none, and the stream has only events. */
  readonly journal: Journal | undefined;
  /** Returns the further fields of a heartbeat. */
  readonly conditions: () => object;
}

/**
 * Streams the requests, changes and events after a position, or from now on, each as `{"request":…}`, `{"change":…}` or `{"event":…}`. It
 * begins with a heartbeat, which has the position to continue from. Overwritten entries become `{"dropped":n}`. Errors: TooManyFollowers;
 * PlaceLost if the position is of another run.
 */
export function followLive({ run, events, journal, conditions }: LiveSources, since: string): Readable {
  const now = [events.next, journal?.next ?? 0, journal?.changes.next ?? 0];
  const [named, ...numbers] = since.split('-');
  if (since !== 'now' && named !== run)
    throw new PlaceLost('The server has restarted since this position.', journal?.changes.first ?? 0);
  // A position of the future would wait for entries that never come, as would one that is cut off.
  const [from = 0, request = 0, change = 0] =
    since === 'now' ? now : now.map((end, at) => Math.min(end, Number(numbers[at] ?? end)));
  const rings: readonly (readonly [name: string, ring: FollowedRing])[] = [
    ['event', { ring: events, from, read: (seq) => events.read(seq), dropped: (count) => ({ dropped: count }) }],
    ...(journal
      ? ([
          ['request', ringOfEntries(journal, request)],
          ['change', ringOfChanges(journal, change)],
        ] as const)
      : []),
  ];
  return followRings({
    announcers: journal ? [journal, events] : [events],
    rings: rings.map(([name, ring]) => ({
      ...ring,
      read(seq) {
        const value = ring.read(seq);
        return value && { [name]: value };
      },
      dropped: (count) => ({ dropped: count }),
    })),
    ...{ gatherMs, beatMs },
    beat: (positions) => ({ position: [run, ...positions].join('-'), ...conditions() }),
  });
}
