import type { Finding } from '../../insight/finding.js';
import { described } from '../../schema.js';
import { coachOf, journalOf, linesVerb } from '../verb.js';
import { findingLines } from './finding-lines.js';

export const coachFollow = linesVerb({
  name: 'coach follow',
  does: 'Print each finding as it comes, and again if it gets worse, until the server stops.',
  http: 'GET /coach/follow',
  changes: 'nothing',
  example: 'coach --follow',
  takes: {},
  sends: 'lines',
  answers: described<Finding>('Finding', 'Something that the coach found.', 'insight/finding'),
  async run(server) {
    const [coach, journal] = [coachOf(server), journalOf(server)];
    const { followFindings } = await import('../../insight/follow-findings.js');
    return followFindings(coach, journal);
  },
  lines: (finding, _asked, server) => findingLines(finding, server),
});
