import { Option } from 'commander';
import type { VerbPart } from './verb-part.js';

/** What the command `import` has of its own: the files to import, and the file of a map. */
export const importPart: VerbPart = {
  word: {
    name: 'PATH',
    usage: 'PATH...',
    does: 'Files that end in .ndjson, .json or .csv, folders of them, or - for standard input.',
  },
  options: [new Option('--map <file>', 'JSON file that says where the columns of CSV go')],
  whyOneServer: ({ own: { PATH: paths } }) =>
    (paths as readonly string[]).includes('-') ? 'Standard input can be read only once.' : undefined,
  run: async (...asked) => (await import('./run-import.js')).importFiles(...asked),
};
