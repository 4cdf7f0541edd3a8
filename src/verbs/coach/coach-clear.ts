import { Done } from '../fields.js';
import { coachOf, verb } from '../verb.js';

export const coachClear = verb({
  name: 'coach clear',
  does: 'Discard the findings so far, such as after a warm-up.',
  http: 'POST /coach/clear',
  changes: 'behavior',
  example: 'coach clear',
  takes: {},
  answers: Done,
  run(server) {
    coachOf(server).clear();
    return {};
  },
  lines: () => ['cleared'],
});
