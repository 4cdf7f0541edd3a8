import type { FaultSummary } from '../faults/contract.js';
import { WrittenChange } from '../insight/journal/changes/written-change.js';
import { LogEntry } from '../insight/journal/log-entry.js';
import { ServerEvent } from '../insight/live/server-events.js';
import { anyOf, count, described, flag, formed, list, name, object, optional } from '../schema.js';
import { ClockState } from './clock.js';
import { linesVerb } from './verb.js';

/** A line that has only the position to continue from, and what is not as usual. */
const Heartbeat = object('LiveHeartbeat', 'Where the stream is, and what is not as usual.', {
  position: name('The position to continue from.'),
  journal: flag('Whether the server keeps a journal, so that the stream has requests and changes.'),
  clock: ClockState,
  faults: list(
    'The rules for faults.',
    described<FaultSummary>('FaultSummary', 'A rule, with its effects so far.', 'faults/contract'),
  ),
  isMemoryFull: flag('Whether writes are rejected because the memory is full.'),
});

export const live = linesVerb({
  name: 'live',
  does: 'Stream requests, changes of entities, and what happens to tables and states, as one stream.',
  notes:
    'The page for browsers follows it; it has no command. It begins with a heartbeat, and sends one every four seconds. Requests of the page are marked. Without a journal there are no requests and changes. Of other servers on the same database there is nothing but the end of branches, which may be noticed a minute later. A position of an earlier run of the server is gone: the status is 410.',
  http: 'GET /live',
  changes: 'nothing',
  isForPage: true,
  example: 'live',
  takes: {
    since: optional(
      formed(
        'Only what comes after this position of a heartbeat (default: `now`).',
        /^(?:now|[\w]+(?:-\d{1,15}){1,3})$/,
        {
          value: 'POSITION',
          wanted: '`now` or the position of a heartbeat',
        },
      ),
    ),
  },
  sends: 'lines',
  answers: anyOf('A heartbeat, a request, a change, an event, or how many of them came too fast.', [
    Heartbeat,
    object('LiveRequest', 'A request.', { request: LogEntry }),
    object('LiveChange', 'A change.', { change: WrittenChange }),
    object('LiveEvent', 'An event.', { event: ServerEvent }),
    object('LiveDropped', 'Lines that came too fast for their reader.', { dropped: count('How many.') }),
  ]),
  async run({ events, journal, faults, clock, info }, { since = 'now' }) {
    const { followLive } = await import('../insight/live/follow-live.js');
    const conditions = () => ({
      journal: journal !== undefined,
      clock: clock.clock.state(),
      faults: faults.list(),
      isMemoryFull: info.memory()?.isFull ?? false,
    });
    return followLive({ run: info.started.toString(36), events, journal, conditions }, since);
  },
  lines: () => [],
});
