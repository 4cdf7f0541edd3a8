import { formed, optional } from '../../schema.js';
import { Refusal, verb } from '../verb.js';
import { ClockState, changeClock, clockLines } from './clock-state.js';

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
    if (Number.isNaN(instant)) throw new Refusal(400, `'at' must be an instant in UTC; there is no ${at}.`);
    return changeClock(server, (clock) => clock.freeze(instant));
  },
  lines: clockLines,
});
