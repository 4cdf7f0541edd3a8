import { Option } from 'commander';
import type { AskedServer } from '../../client/http-transport.js';
import type { AnyVerb } from '../../verbs/verb.js';
import { acceptedFile, reportOption } from '../coach/run-plan.js';

/** A verb with its fields and options, from a command line. */
export interface AskedVerb {
  /** The fields of the verb, checked. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** The servers that `--url` names. */
  readonly urls: readonly string[];
  readonly json: boolean;
  /** The words and the values of the options that only the command has. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** A word that only a command has. */
export interface OwnWord {
  readonly name: string;
  readonly does: string;
  /** How the help shows it: `[PATH]`, `PATH...`. */
  readonly usage: string;
}

/** Asks a server, and prints the answer by lines. Returns the exit code. Errors: ConfigError. */
export type VerbRun = (
  server: AskedServer,
  verb: AnyVerb,
  asked: AskedVerb,
  print: (line: string) => void,
) => Promise<number>;

/** Words and options that only the command of a verb has: files of the machine on which it runs. */
export interface VerbPart {
  /** A word after those of the verb. The last one may be repeated. */
  readonly word?: OwnWord;
  readonly options?: readonly Option[];
  /** Returns why a command line can ask only one server; undefined if it can ask several. */
  whyOneServer?(asked: AskedVerb): string | undefined;
  /** Absent: the command prints the answer as those of other verbs do. */
  readonly run?: VerbRun;
}

/** The path that the command of a file may have. Without one, it prints the file. */
const filePart: VerbPart = {
  word: { name: 'PATH', usage: '[PATH]', does: 'File to write; for data also a folder (default: standard output).' },
  whyOneServer: () => 'A file comes from one server.',
  run: async (...asked) => (await import('./run-file.js')).writeFileOf(...asked),
};

/** A shell cannot evaluate lines that begin with the URL of a server, and a program has the variables of one. */
const environmentPart: VerbPart = {
  whyOneServer: ({ json }) => (json ? undefined : 'A program runs with the environment of one server.'),
};

const healthPart: VerbPart = { run: async (...asked) => (await import('./ask-health.js')).checkHealth(...asked) };

/** The command `import` takes the files to import, and the file of a map. */
const importPart: VerbPart = {
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

const acceptOption = () => new Option('--accept <file>', `findings to accept (default ${acceptedFile}, if it exists)`);

/** The command `coach` takes the file of accepted findings, and writes reports. */
const coachPart: VerbPart = {
  options: [acceptOption(), reportOption()],
  whyOneServer: ({ own: { report } }) => (report === undefined ? undefined : 'A report is about one server.'),
  run: async (...asked) => (await import('../coach/run-coach.js')).showFindings(...asked),
};

/** The command `coach --follow` takes the file of accepted findings. */
const coachFollowPart: VerbPart = {
  options: [acceptOption()],
  run: async (...asked) => (await import('../coach/run-coach.js')).followFindings(...asked),
};

const parts: ReadonlyMap<string, VerbPart> = new Map([
  ['coach show', coachPart],
  ['coach follow', coachFollowPart],
  ['health', healthPart],
  ['identity environment', environmentPart],
  ['import', importPart],
]);

/** Returns the part that only the command of a verb has. */
export function partOf(verb: AnyVerb): VerbPart | undefined {
  return verb.sends === 'file' ? filePart : parts.get(verb.name);
}
