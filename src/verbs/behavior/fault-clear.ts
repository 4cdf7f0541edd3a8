import { Done } from '../fields.js';
import { verb } from '../verb.js';

export const faultClear = verb({
  name: 'fault clear',
  does: 'Delete all fault rules. Requests that wait for a fault continue.',
  http: 'POST /faults/clear',
  changes: 'behavior',
  example: 'fault clear',
  takes: {},
  answers: Done,
  run({ faults }) {
    faults.clear();
    return {};
  },
  lines: () => ['cleared'],
});
