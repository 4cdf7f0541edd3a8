import { isOfExplorer } from '../protocol/header-fields.js';
import { choice, count, flag, list, name, number, object, optional, type Shape, text } from '../schema.js';
import { account, table } from './fields.js';
import { RejectedCall, verb } from './verb.js';

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

export const health = verb({
  name: 'health',
  does: 'Check whether a server serves requests.',
  notes:
    'Over HTTP it needs no token, and the status is 503 if requests are not served. The command then exits with 1, after at most five seconds.',
  http: 'GET /health',
  changes: 'nothing',
  isOpen: true,
  example: 'health',
  takes: {},
  answers: object('Health', 'Whether requests are served.', {
    status: choice('`ready`, or why not: with `writes-fail`, reads still work.', healthStatuses),
  }),
  run: async (server) => ({ status: await server.health() }),
  statusOf: ({ status }) => (status === 'ready' ? 200 : 503),
  lines: ({ status }, _input, { server }) => [`${status}: ${server}`],
  exitCode: ({ status }) => (status === 'ready' ? 0 : 1),
});

export const info = verb({
  name: 'info',
  does: 'Show the version, start time and accounts of a server.',
  http: 'GET /info',
  changes: 'nothing',
  agent: {
    when: 'Call it to see whether a server answers, and which accounts it has.',
    withheld: ['location', 'connectionString'],
  },
  example: 'info',
  takes: {},
  answers: object('ServerInfo', 'A server.', {
    version: name('Its version.'),
    started: name('When it was started, in UTC.'),
    accounts: list('The names of its accounts.', name('A name.')),
    location: optional(
      name(
        'The path of the folder that holds its data folder; absent for other data, and for callers that may only read.',
      ),
    ),
    connectionString: optional(
      text(
        'The connection string of the first account, by the host that the caller used; absent for callers that may only read, and for the page.',
      ),
    ),
    memory: optional(
      object('MemoryUse', 'How full the memory is, if it has the data.', {
        usedBytes: count('The size in use, with garbage. Unit: bytes.'),
        maxBytes: count('The size at which the process would end. Unit: bytes.'),
        isFull: flag('Writes are rejected.'),
      }),
    ),
  }),
  run({ info: { version, started, accounts, location, memory }, connectionStrings }, _input, caller) {
    const use = memory();
    // The page works with signatures, and never gets a key.
    const [first] = caller.right === 'read' || isOfExplorer(caller.headers ?? {}) ? [] : connectionStrings(caller);
    return {
      ...{ version, started: new Date(started).toISOString(), accounts: accounts() },
      ...(location !== undefined && caller.right !== 'read' && { location }),
      ...(first && { connectionString: first.connectionString }),
      ...(use && { memory: use }),
    };
  },
  lines: ({ version, started, accounts, location, memory }) => [
    `version ${version}, started ${started}`,
    `accounts: ${accounts.join(', ')}`,
    ...(location === undefined ? [] : [`location: ${location}`]),
    ...(memory
      ? [`memory: ${mib(memory.usedBytes)} of ${mib(memory.maxBytes)} MiB${memory.isFull ? ', full' : ''}`]
      : []),
  ],
});

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);

export const connectionString = verb({
  name: 'connection-string',
  does: 'Get the connection strings of the accounts except branches, by the host that the caller used.',
  notes:
    'They contain keys, so a read-only token may not call it. The command `connection-string` prints them without a server.',
  http: 'POST /connection-strings',
  changes: 'behavior',
  agent: { when: 'Call it to connect an SDK or a program to this server.', repeats: true },
  isForPage: true,
  example: 'connection-string',
  takes: { account: account('Only this account.') },
  answers: object('ConnectionStrings', 'Accounts and their connection strings.', {
    accounts: list('The accounts.', AccountConnection),
  }),
  lists: 'accounts',
  run({ connectionStrings, info }, { account }, caller) {
    const accounts = connectionStrings(caller).filter((one) => account === undefined || one.account === account);
    if (accounts.length > 0) return { accounts };
    throw new RejectedCall(404, `There is no account ${account}. The accounts are: ${info.accounts().join(', ')}.`);
  },
  lines: ({ accounts }) => accounts.map(({ connectionString }) => connectionString),
});

const pageIsOff = () => new RejectedCall(404, 'The server has no page for browsers. Start it without --noExplorer.');

export const session = verb({
  name: 'session',
  does: 'Get a shared access signature for each account, valid for an hour.',
  notes: 'A token that may only read gets signatures that only read. It has no command: `sas` prints signed URLs.',
  // POST keeps the answer out of caches and logs.
  http: 'POST /session',
  changes: 'nothing',
  isForPage: true,
  example: 'session',
  takes: {},
  answers: Session,
  run({ openSession }, _input, caller) {
    if (!openSession) throw pageIsOff();
    return openSession(caller);
  },
  lines: () => [],
});

export const sas = verb({
  name: 'sas',
  does: 'Sign a shared access signature for a table or an account, by the clock of the server.',
  notes: 'It gives rights away, so a read-only token may not call it. The command `sas` signs without a server.',
  http: 'POST /sas',
  changes: 'behavior',
  isForPage: true,
  example: 'sas',
  takes: {
    account: name('The account that signs.', { example: 'devstoreaccount1' }),
    table: optional(table('The table (default: the whole account).')),
    permissions: optional(text('The letters of the allowed operations (default: all).', { example: 'ra' })),
    start: optional(name('Start of validity.', { example: '2026-11-21T10:00:00Z' })),
    expiry: optional(name('End of validity.', { example: '2027-11-21T10:00:00Z' })),
    hours: optional(number('Hours of validity without an expiry (default: 1).')),
    ip: optional(name('IPv4 address or range a-b of allowed clients.', { example: '10.0.0.1-10.0.0.9' })),
    httpsOnly: optional(flag('Allow HTTPS only.')),
    policy: optional(name('Stored access policy of the table, which supplies the remaining fields.')),
    resourceTypes: optional(text('For an account: s service, c tables, o entities (default: sco).')),
    startPartition: optional(text('First partition key.')),
    startRow: optional(text('First row key, within the first partition.')),
    endPartition: optional(text('Last partition key.')),
    endRow: optional(text('Last row key, within the last partition.')),
  },
  answers: object('SignedAccess', 'A shared access signature.', {
    sas: name('The signature, as a query without a question mark.'),
  }),
  run({ signAccess }, { account, ...wish }) {
    if (!signAccess) throw pageIsOff();
    return { sas: signAccess(account, wish) };
  },
  lines: () => [],
});

export const policySign = verb({
  name: 'policy sign',
  does: 'Sign requests for the stored access policies of a table, which only the owner of the account may read and set.',
  notes:
    'The headers hold for 15 minutes. With them, `GET` and `PUT /ACCOUNT/TABLE?comp=acl` are Get Table ACL and Set Table ACL.',
  http: 'POST /policies/sign',
  changes: 'behavior',
  isForPage: true,
  example: 'policy sign',
  takes: {
    account: name('The account that signs.', { example: 'devstoreaccount1' }),
    table: table('The table.'),
  },
  answers: object('OwnerHeaders', 'The headers of a signed request.', {
    date: name('The header `x-ms-date`.'),
    authorization: name('The header `Authorization`.'),
  }),
  run({ signPolicies }, wish) {
    if (!signPolicies) throw pageIsOff();
    return signPolicies(wish.account, wish.table);
  },
  lines: () => [],
});
