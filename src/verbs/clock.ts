import { flag, formed, name, number, object, optional, type Shape } from '../schema.js';
import { duration, readLength } from './fields.js';
import { RejectedCall, type VerbServer, verb } from './verb.js';

export const ClockState = object('ClockState', 'The state of the clock of a server.', {
  now: name('Its time, in UTC.'),
  frozen: flag('Whether it stands still.'),
  aheadMs: number('How far it is ahead of the real time, in milliseconds.'),
});

/** Formats a clock for people: `2030-01-31T12:00:00.000Z, frozen`. */
function clockLines({ now, frozen, aheadMs }: Shape<typeof ClockState>): readonly string[] {
  const ahead = aheadMs === 0 ? 'the real time' : `${aheadMs / 1000} s ahead of the real time`;
  return [`${now}, ${frozen ? 'frozen' : ahead}`];
}

/**
 * Changes the clock of a server, unless a database stamps the entities or the data outlives the server: persistent data would keep
 * the clock ahead permanently. Errors: RejectedCall with the status 403; ClockFault.
 */
function changeClock(
  { clock: { clock, config } }: VerbServer,
  change: (clock: VerbServer['clock']['clock']) => void,
): Shape<typeof ClockState> {
  if (config.database)
    throw new RejectedCall(403, 'With --database, the clock of the database stamps entities. It cannot be changed.');
  if (!config.inMemory && !config.allowTestClock) {
    const hint = 'Use --inMemoryPersistence, or allow it with --allowTestClock.';
    throw new RejectedCall(403, `The data outlives this server, and a changed clock stays in it. ${hint}`);
  }
  change(clock);
  return clock.state();
}

export const clockShow = verb({
  name: 'clock show',
  does: 'Show the clock that stamps entities and checks signatures.',
  http: 'GET /clock',
  changes: 'nothing',
  example: 'clock',
  takes: {},
  answers: ClockState,
  run: ({ clock }) => clock.clock.state(),
  lines: clockLines,
});

export const clockAdvance = verb({
  name: 'clock advance',
  does: 'Move the clock forward.',
  notes: 'Only for data in memory, or with --allowTestClock.',
  http: 'POST /clock/advance',
  changes: 'behavior',
  example: 'clock advance 1h',
  takes: { by: duration('How far.', { value: 'BY', example: '1h' }) },
  words: ['by'],
  answers: ClockState,
  run: (server, { by }) => changeClock(server, (clock) => clock.advance(readLength(by, 'by'))),
  lines: clockLines,
});

export const clockFreeze = verb({
  name: 'clock freeze',
  does: 'Freeze the clock now, or at a later instant.',
  notes: 'Only for data in memory, or with --allowTestClock.',
  http: 'POST /clock/freeze',
  changes: 'behavior',
  example: 'clock freeze 2030-01-31T12:00:00Z',
  takes: {
    at: optional(
      formed('The instant (default: now).', /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/, {
        value: 'AT',
        wanted: 'an instant in UTC, such as 2030-01-31 or 2030-01-31T12:00:00Z',
        example: '2030-01-31T12:00:00Z',
      }),
    ),
  },
  words: ['at'],
  answers: ClockState,
  run(server, { at }) {
    const instant = at === undefined ? undefined : Date.parse(at);
    if (Number.isNaN(instant)) throw new RejectedCall(400, `'at' must be an instant in UTC; there is no ${at}.`);
    return changeClock(server, (clock) => clock.freeze(instant));
  },
  lines: clockLines,
});

export const clockResume = verb({
  name: 'clock resume',
  does: 'Resume a frozen clock: the real time plus every advance.',
  http: 'POST /clock/resume',
  changes: 'behavior',
  example: 'clock resume',
  takes: {},
  answers: ClockState,
  run: (server) => changeClock(server, (clock) => clock.resume()),
  lines: clockLines,
});
