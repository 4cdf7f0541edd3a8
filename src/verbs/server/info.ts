import { list, name, object } from '../../schema.js';
import { verb } from '../verb.js';

export const info = verb({
  name: 'info',
  does: 'Show the version, start time and accounts of a server.',
  http: 'GET /info',
  changes: 'nothing',
  example: 'info',
  takes: {},
  answers: object('ServerInfo', 'Which server it is.', {
    version: name('Its version.'),
    started: name('When it was started, in UTC.'),
    accounts: list('The names of its accounts.', name('A name.')),
  }),
  run: ({ info: { version, started, accounts } }) => ({
    version,
    started: new Date(started).toISOString(),
    accounts: accounts(),
  }),
  lines: ({ version, started, accounts }) => [
    `version ${version}, started ${started}`,
    `accounts: ${accounts.join(', ')}`,
  ],
});
