import { WrittenChange } from '../../insight/changes/written-change.js';
import { count, list, name, object } from '../../schema.js';
import { journalOf, verb } from '../verb.js';
import { changeFields, until } from './change-fields.js';
import { changeLine } from './change-line.js';

export const changeList = verb({
  name: 'change list',
  does: 'List the last writes, without their values.',
  notes: 'The last 8,192 changes are kept. If some after the place were overwritten, it fails: over HTTP with 410.',
  http: 'GET /changes',
  changes: 'nothing',
  example: 'changes --since "ships an order"',
  takes: { ...changeFields, until },
  answers: object('ChangeList', 'Changes.', {
    scope: name('Whose changes these are.'),
    first: count('The position of the oldest change that is kept.'),
    last: count('The position of the newest change; what comes later is after it.'),
    changes: list('The changes, in the order of their commits.', WrittenChange),
  }),
  lists: 'changes',
  async run(server, wish) {
    const journal = journalOf(server);
    const { selectChanges } = await import('../../insight/changes/select-changes.js');
    const scope = 'the changes that this server wrote since it started';
    return { scope, ...(await selectChanges(journal, wish)) };
  },
  lines: ({ changes }) => changes.map(changeLine),
});
