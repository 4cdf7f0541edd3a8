import { count, name, object } from '../../schema.js';
import { journalOf, verb } from '../verb.js';

export const mark = verb({
  name: 'mark',
  does: "Mark the requests and changes that follow with a name, such as a test's.",
  http: 'POST /marks',
  changes: 'behavior',
  example: 'mark "ships an order"',
  takes: { name: name('The name.', { value: 'NAME', example: 'ships an order' }) },
  words: ['name'],
  answers: object('Mark', 'A place among requests and changes.', {
    mark: name('Its name.'),
    next: count('The position of the next request.'),
    seq: count('The position of the last change before it.'),
  }),
  run: (server, { name }) => ({ mark: name, ...journalOf(server).mark(name) }),
  lines: ({ mark }) => [`marked: ${mark}`],
});
