import { verb } from '../verb.js';
import { ClockState, changeClock, clockLines } from './clock-state.js';

export const clockResume = verb({
  name: 'clock resume',
  does: 'Let a frozen clock go on, by the real time and all that it was moved forward.',
  http: 'POST /clock/resume',
  changes: 'behavior',
  example: 'clock resume',
  takes: {},
  answers: ClockState,
  run: (server) => changeClock(server, (clock) => clock.resume()),
  lines: clockLines,
});
