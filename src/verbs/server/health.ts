import { choice, object } from '../../schema.js';
import { verb } from '../verb.js';

/** What health may be. */
const statuses = [
  'ready',
  'stopping',
  'writes-fail',
  'tables-locked',
  'too-few-connections',
  'disk-full',
  'store-fails',
] as const;

/** `ready`, or why no requests are served. */
export type HealthStatus = (typeof statuses)[number];

export const health = verb({
  name: 'health',
  does: 'Check whether a server serves requests.',
  notes:
    'Over HTTP it needs no token, and is answered with 503 if it does not. The command ends with 1 then, after at most five seconds.',
  http: 'GET /health',
  changes: 'nothing',
  isOpen: true,
  example: 'health',
  takes: {},
  answers: object('Health', 'Whether requests are served.', {
    status: choice('`ready`, or why not: with `writes-fail`, reads still work.', statuses),
  }),
  run: async (server) => ({ status: await server.health() }),
  statusOf: ({ status }) => (status === 'ready' ? 200 : 503),
  lines: ({ status }, _asked, server) => [`${status}: ${server}`],
  exitCode: ({ status }) => (status === 'ready' ? 0 : 1),
});
