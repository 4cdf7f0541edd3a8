import { WrittenChange } from '../../insight/changes/written-change.js';
import { anyOf, count, object } from '../../schema.js';
import { journalOf, linesVerb } from '../verb.js';
import { changeFields } from './change-fields.js';
import { changeLine } from './change-line.js';

export const changeFollow = linesVerb({
  name: 'change follow',
  does: 'Print the kept changes, then each new one until the server stops.',
  http: 'GET /changes/follow',
  changes: 'nothing',
  example: 'changes --follow --table Orders',
  takes: changeFields,
  sends: 'lines',
  answers: anyOf('A change, or how many came too fast.', [
    WrittenChange,
    object('DroppedChanges', 'Changes that came too fast for their reader.', { dropped: count('How many.') }),
  ]),
  async run(server, wish) {
    const journal = journalOf(server);
    const { followChanges } = await import('../../insight/changes/select-changes.js');
    return followChanges(journal, wish);
  },
  lines: (line) => ['dropped' in line ? `${line.dropped} changes came too fast and are not shown` : changeLine(line)],
});
