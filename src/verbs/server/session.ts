import { choice, flag, list, name, object, optional, type Shape } from '../../schema.js';
import { Refusal, verb } from '../verb.js';

/** What the page for browsers works with. */
export const Session = object('Session', 'Signatures for a page.', {
  version: name('The version of the server.'),
  right: choice('What the caller may do.', ['all', 'read']),
  isLoopbackOnly: flag('Whether the server listens on loopback addresses alone, which containers may not reach.'),
  expires: name('When the signatures end, in UTC.'),
  keys: optional(
    choice('Whether keys, and signatures by them, are accepted; absent without identities.', ['accepted', 'refused']),
  ),
  accounts: list(
    'The accounts of the port that was reached.',
    object('SessionAccount', 'An account and its signature.', {
      name: name('Its name.'),
      sas: name('A shared access signature, as a query without a question mark.'),
      dialect: optional(choice('The service that it belongs to; absent for storage accounts.', ['storage', 'cosmos'])),
      branch: optional(
        object('SessionBranch', 'What the account began as, if it is a branch.', {
          from: object('SessionOrigin', 'Its origin.', {
            account: name('The account.'),
            snapshot: optional(name('The snapshot.')),
          }),
          expires: name('When it ends, in UTC.'),
        }),
      ),
    }),
  ),
});
export type Session = Shape<typeof Session>;

export const session = verb({
  name: 'session',
  does: 'Get a shared access signature for each account, valid for an hour.',
  notes: 'A token that may only read gets signatures that only read. It has no command: `sas` prints signed URLs.',
  // What it answers must be in no cache and no log.
  http: 'POST /session',
  changes: 'nothing',
  isForPage: true,
  example: 'session',
  takes: {},
  answers: Session,
  run({ openSession }, _asked, caller) {
    if (!openSession) throw new Refusal(404, 'The server has no page for browsers. Start it without --noExplorer.');
    return openSession(caller);
  },
  lines: () => [],
});
