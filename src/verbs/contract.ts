import { choice, flag, list, name, object, optional, type Shape, text } from '../schema.js';

/** The possible health statuses. */
export const healthStatuses = [
  'ready',
  'stopping',
  'writes-fail',
  'tables-locked',
  'too-few-connections',
  'disk-full',
  'memory-full',
  'store-fails',
] as const;

/** `ready`, or why requests are not served. */
export type HealthStatus = (typeof healthStatuses)[number];

/** The settings and signatures that the page for browsers needs. */
export const Session = object('Session', 'Signatures for a page.', {
  version: name('The version of the server.'),
  right: choice('The rights of the caller.', ['all', 'read']),
  isLoopbackOnly: flag('Whether the server listens on loopback addresses alone, which containers may not reach.'),
  expires: name('When the signatures end, in UTC.'),
  keys: optional(
    choice('Whether keys, and signatures by them, are accepted; absent without identities.', ['accepted', 'rejected']),
  ),
  accounts: list(
    'The accounts of the port that was reached.',
    object('SessionAccount', 'An account and its signature.', {
      name: name('Its name.'),
      sas: name('A shared access signature, as a query without a question mark.'),
      dialect: optional(choice('The service that it belongs to; absent for storage accounts.', ['storage', 'cosmos'])),
      branch: optional(
        object('SessionBranch', 'The source of a branch; absent for other accounts.', {
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

export const AccountConnection = object('AccountConnection', 'An account and its connection string.', {
  account: name('The account.'),
  connectionString: text('Its connection string, with its first key.'),
});
export type AccountConnection = Shape<typeof AccountConnection>;

const Variable = object('Variable', 'A variable of the environment.', {
  name: name('Its name.'),
  value: text('Its value.'),
});

export const IdentityVariables = object('IdentityVariables', 'The environment of a program that runs as an identity.', {
  set: list('The variables to set. One of them is a secret.', Variable),
  remove: list('The variables to remove, by which the program would find other credentials.', name('A variable.')),
});
