import { name } from '../../schema.js';
import { Done } from '../fields.js';
import { Refusal, verb } from '../verb.js';

export const faultDelete = verb({
  name: 'fault delete',
  does: 'Delete a fault rule. Requests that wait for its fault continue.',
  http: 'DELETE /faults/{id}',
  changes: 'behavior',
  example: 'fault delete fault-1',
  takes: { id: name('ID of the rule.', { value: 'ID', example: 'fault-1' }) },
  words: ['id'],
  answers: Done,
  run({ faults }, { id }) {
    if (!faults.remove(id)) throw new Refusal(404, `There is no fault rule ${id}.`);
    return {};
  },
  lines: () => ['deleted'],
});
