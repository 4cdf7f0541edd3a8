import { duration, readLength } from '../fields.js';
import { verb } from '../verb.js';
import { ClockState, changeClock, clockLines } from './clock-state.js';

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
