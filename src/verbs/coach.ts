import type { Finding } from '../insight/coach/finding.js';
import { findingDetails, findingLine } from '../insight/coach/report/finding-lines.js';
import { queryClassNames } from '../insight/queries/query-classes.js';
import { choice, count, described, flag, list, name, object, optional, text } from '../schema.js';
import { Done } from './fields.js';
import { type Audience, coachOf, journalOf, linesVerb, verb } from './verb.js';

/** Formats a finding as lines; an info finding takes one line. */
export function findingLines(finding: Finding, { call, data }: Pick<Audience, 'call' | 'data'>): readonly string[] {
  const line = findingLine(finding);
  if (finding.severity === 'info') return data([`${line} ${finding.shape}`]);
  return [
    ...data([line, ...findingDetails(finding).map((text) => `  ${text}`)]),
    `  ${call(`request show ${finding.worstRequest}`)}`,
  ];
}

const ShapeUsage = object('ShapeUsage', 'The cost of the queries of one shape.', {
  account: name('The account; for a branch, the account that it was taken from.'),
  table: name('The table.'),
  shape: text('The query without its values.'),
  class: choice('How the cloud finds its entities.', queryClassNames),
  calls: count('How many queries there were; pages of one query count once.'),
  read: count('Entities that this server read.'),
  returned: count('Entities that it returned.'),
  firstRequest: name('The first request, by its ID.'),
  marks: list('The marks under which it was seen, such as names of tests.', text('A mark.')),
});

export const coachShow = verb({
  name: 'coach show',
  does: 'Report requests that would be slow or costly in Azure, worst first.',
  http: 'GET /coach',
  changes: 'nothing',
  agent: { when: 'Call it after a test run.' },
  example: 'coach',
  takes: { ended: optional(flag('No more requests follow: include findings about unfinished work of clients.')) },
  answers: object('CoachAnswer', 'The findings and counts of the coach.', {
    scope: name('Whose requests these are.'),
    usage: object('Usage', 'The cost of all requests.', {
      requests: count('Requests.'),
      read: count('Entities that this server read.'),
      returned: count('Entities that it returned.'),
    }),
    findings: list(
      'The findings.',
      described<Finding>('Finding', 'Something that the coach found.', 'insight/coach/finding'),
    ),
    queries: list('The cost of the queries of each shape, most reads first.', ShapeUsage),
    skippedRequests: count('Requests that were skipped, because there were too many.'),
    forgottenShapes: count('Query shapes that were dropped, because there were too many.'),
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
  lines: ({ findings }, _input, audience) =>
    findings.length === 0
      ? ['Nothing was found in the requests so far.']
      : findings.flatMap((finding) => findingLines(finding, audience)),
});

export const coachFollow = linesVerb({
  name: 'coach follow',
  does: 'Print each finding as it comes, and again if it gets worse, until the server stops.',
  http: 'GET /coach/follow',
  changes: 'nothing',
  example: 'coach --follow',
  takes: {},
  sends: 'lines',
  answers: described<Finding>('Finding', 'Something that the coach found.', 'insight/coach/finding'),
  async run(server) {
    const [coach, journal] = [coachOf(server), journalOf(server)];
    const { followFindings } = await import('../insight/coach/follow-findings.js');
    return followFindings(coach, journal);
  },
  lines: (finding, _input, audience) => findingLines(finding, audience),
});

export const coachClear = verb({
  name: 'coach clear',
  does: 'Discard the findings so far, such as after a warm-up.',
  http: 'POST /coach/clear',
  changes: 'behavior',
  example: 'coach clear',
  takes: {},
  answers: Done,
  run(server) {
    coachOf(server).clear();
    return {};
  },
  lines: () => ['cleared'],
});
