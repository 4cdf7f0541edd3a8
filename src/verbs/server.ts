import { choice, count, flag, list, name, object, optional } from '../schema.js';
import { healthStatuses, Session } from './contract.js';
import { RejectedCall, verb } from './verb.js';

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
  lines: ({ status }, _input, server) => [`${status}: ${server}`],
  exitCode: ({ status }) => (status === 'ready' ? 0 : 1),
});

export const info = verb({
  name: 'info',
  does: 'Show the version, start time and accounts of a server.',
  http: 'GET /info',
  changes: 'nothing',
  example: 'info',
  takes: {},
  answers: object('ServerInfo', 'A server.', {
    version: name('Its version.'),
    started: name('When it was started, in UTC.'),
    accounts: list('The names of its accounts.', name('A name.')),
    memory: optional(
      object('MemoryUse', 'How full the memory is, if it has the data.', {
        usedBytes: count('The size in use, with garbage. Unit: bytes.'),
        maxBytes: count('The size at which the process would end. Unit: bytes.'),
        isFull: flag('Writes are rejected.'),
      }),
    ),
  }),
  run({ info: { version, started, accounts, memory } }) {
    const use = memory();
    return { version, started: new Date(started).toISOString(), accounts: accounts(), ...(use && { memory: use }) };
  },
  lines: ({ version, started, accounts, memory }) => [
    `version ${version}, started ${started}`,
    `accounts: ${accounts.join(', ')}`,
    ...(memory
      ? [`memory: ${mib(memory.usedBytes)} of ${mib(memory.maxBytes)} MiB${memory.isFull ? ', full' : ''}`]
      : []),
  ],
});

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);

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
    if (!openSession)
      throw new RejectedCall(404, 'The server has no page for browsers. Start it without --noExplorer.');
    return openSession(caller);
  },
  lines: () => [],
});
