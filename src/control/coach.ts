import { addCurls } from '../insight/add-curls.js';
import type { Coach } from '../insight/coach.js';
import type { Finding } from '../insight/finding.js';
import type { Journal } from '../insight/journal/journal.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { isOn } from './check-query.js';
import { answerJson, type ControlRow } from './control-row.js';
import { readFields } from './read-fields.js';

/** Returns the rows of the coach: what it found, and a fresh start. */
export function coachRows(coach: Coach, journal: Journal): readonly ControlRow[] {
  return [
    {
      method: 'GET',
      path: `${controlRoot}/coach`,
      purpose: 'where the requests of this server work against the design of the service',
      query: { switches: ['ended'] },
      run: async ({ query }) =>
        answerJson(200, {
          scope: 'the requests of this server since it started, or since the last clear',
          forgottenShapes: coach.shapes.forgotten,
          skippedRequests: coach.skipped,
          usage: { ...coach.usage },
          findings: await findingsOf(coach, journal, isOn(query, 'ended')),
        }),
    },
    {
      method: 'GET',
      path: `${controlRoot}/coach/queries`,
      purpose: 'what the queries of each shape have cost',
      run: () => answerJson(200, { queries: coach.usages() }),
    },
    {
      method: 'POST',
      path: `${controlRoot}/coach/clear`,
      purpose: 'forgets what was found so far, as after a warm-up',
      takes: 'json',
      run: ({ body }) => {
        readFields(body, {});
        coach.clear();
        return answerJson(200, { findings: [] });
      },
    },
  ];
}

/**
 * Returns the findings, with command lines that send their requests again. If the run has ended, a token that was not used yet
 * is never used, and the server of a command line is gone.
 */
async function findingsOf(coach: Coach, journal: Journal, hasEnded: boolean): Promise<readonly Finding[]> {
  return hasEnded ? coach.findings(Number.POSITIVE_INFINITY) : addCurls(coach.findings(Date.now()), journal);
}
