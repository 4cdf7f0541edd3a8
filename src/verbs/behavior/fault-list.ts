import { verb } from '../verb.js';
import { FaultList, faultLine } from './fault-line.js';

export const faultList = verb({
  name: 'fault list',
  does: 'List the fault rules with their hits, and those that ended recently.',
  http: 'GET /faults',
  changes: 'nothing',
  example: 'faults',
  takes: {},
  answers: FaultList,
  lists: 'faults',
  run: ({ faults }) => ({ faults: faults.list() }),
  lines: ({ faults }) => faults.map(faultLine),
});
