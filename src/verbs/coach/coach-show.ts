import type { Finding } from '../../insight/finding.js';
import type { ShapeUsage } from '../../insight/shapes/query-shapes.js';
import { count, described, flag, list, name, object, optional } from '../../schema.js';
import { coachOf, verb } from '../verb.js';
import { findingLines } from './finding-lines.js';

export const coachShow = verb({
  name: 'coach show',
  does: 'Show where requests work against the design of the service, the worst first.',
  http: 'GET /coach',
  changes: 'nothing',
  example: 'coach',
  takes: { ended: optional(flag('No more requests come: what clients have left undone is found, too.')) },
  answers: object('CoachAnswer', 'What the coach has found, and what it has counted.', {
    scope: name('Whose requests these are.'),
    usage: object('Usage', 'What all requests have cost.', {
      requests: count('Requests.'),
      read: count('Entities that this server read.'),
      returned: count('Entities that it returned.'),
    }),
    findings: list(
      'What was found.',
      described<Finding>('Finding', 'Something that the coach found.', 'insight/finding'),
    ),
    queries: list(
      'What the queries of each shape have cost, those with the most reads first.',
      described<ShapeUsage>('ShapeUsage', 'What queries of a shape have cost.', 'insight/shapes/query-shapes'),
    ),
    skippedRequests: count('Requests that were not looked at, because there were too many.'),
    forgottenShapes: count('Shapes of queries that were forgotten, because there were too many.'),
  }),
  run(server, { ended = false }) {
    const coach = coachOf(server);
    return {
      scope: 'the requests of this server since it started, or since the last clear',
      usage: { ...coach.usage },
      findings: coach.findings(ended ? Number.POSITIVE_INFINITY : Date.now()),
      queries: coach.usages(),
      skippedRequests: coach.skipped,
      forgottenShapes: coach.shapes.forgotten,
    };
  },
  lines: ({ findings }, _asked, server) =>
    findings.length === 0
      ? ['Nothing was found in the requests so far.']
      : findings.flatMap((finding) => findingLines(finding, server)),
});
