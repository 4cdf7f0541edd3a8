import type { Coach } from '../coach/coach.js';
import { controlRoot } from '../http/reserved-endpoints.js';
import { addCurls } from '../journal/add-curls.js';
import type { Journal } from '../journal/journal.js';
import { answerJson, type ControlRow } from './control-row.js';

/** Returns the rows of the coach: what it found, and a fresh start. */
export function coachRows(coach: Coach, journal: Journal): readonly ControlRow[] {
  return [
    {
      method: 'GET',
      path: `${controlRoot}/coach`,
      purpose: 'where the requests of this server work against the design of the service',
      run: async ({ query }) =>
        answerJson(200, {
          scope: 'the requests of this server since it started, or since the last clear',
          forgottenShapes: coach.shapes.forgotten,
          skippedRequests: coach.skipped,
          usage: { ...coach.usage },
          // With `ended`, no more requests come: a token that was not used yet is never used.
          findings: await addCurls(coach.findings(query.has('ended') ? Number.POSITIVE_INFINITY : Date.now()), journal),
        }),
    },
    {
      method: 'GET',
      path: `${controlRoot}/coach/queries`,
      purpose: 'what the queries of each shape have cost',
      run: () => answerJson(200, { queries: coach.shapes.usages() }),
    },
    {
      method: 'POST',
      path: `${controlRoot}/coach/clear`,
      purpose: 'forgets what was found so far, as after a warm-up',
      takes: 'json',
      run() {
        coach.clear();
        return answerJson(200, { findings: [] });
      },
    },
  ];
}
