import { Option } from 'commander';
import type { VerbPart } from '../verbs/verb-part.js';
import { acceptedFile } from './read-accepted.js';
import { reportOption } from './run-plan.js';

const acceptOption = () => new Option('--accept <file>', `findings to accept (default ${acceptedFile}, if it exists)`);

/** What the command `coach` has of its own: the file of accepted findings, and reports. */
export const coachPart: VerbPart = {
  options: [acceptOption(), reportOption()],
  whyOneServer: ({ own: { report } }) => (report === undefined ? undefined : 'A report is about one server.'),
  run: async (...asked) => (await import('./run-coach.js')).showFindings(...asked),
};

/** What the command `coach --follow` has of its own. */
export const coachFollowPart: VerbPart = {
  options: [acceptOption()],
  run: async (...asked) => (await import('./run-coach.js')).followFindings(...asked),
};
