import { verb } from '../verb.js';
import { ClockState, changeClock, clockLines } from './clock-state.js';

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
