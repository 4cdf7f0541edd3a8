import { verb } from '../verb.js';
import { ClockState, clockLines } from './clock-state.js';

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
