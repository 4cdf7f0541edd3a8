import { Command, CommanderError, Option } from 'commander';
import type { TargetServer } from '../../client/http-transport.js';
import { commandLine } from '../../command-line.js';
import { ConfigError, shownValue } from '../../config.js';
import { nearestName } from '../../nearest-name.js';
import { isOptional, notesOf, requiredOf, type Schema } from '../../schema.js';
import { checkInput, commandNames, readStrings, wordName } from '../../verbs/check-input.js';
import type { AnyVerb } from '../../verbs/verb.js';
import { methodOf } from '../../verbs/verb-row.js';
import { acceptedFile, reportOption } from '../coach/run-plan.js';
import { isFollower, nounOf, usageOf, verbsOf } from './find-verb.js';

/** Creates the command of a verb, with arguments and options for its fields, and those that only the command has. */
export function createVerbCommand(verb: AnyVerb): Command {
  const { name, does, takes, words = [], example } = verb;
  const { word: ownWord, options = [] } = partOf(verb) ?? {};
  const command = new Command(`tabularium ${name}`)
    .description(does)
    .usage(`${usageWords(verb)} [options]`.trim())
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => {}, getOutHelpWidth: () => 100 })
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', `\nExample: ${commandLine(example)}`)
    .helpOption('--help', 'print this help');
  // Optional here, because the check of the schemas has better messages.
  for (const word of words)
    command.argument(`[${wordName(word, takes[word])}]`, notesOf(takes[word] as Schema).description);
  if (ownWord) command.argument(`[${ownWord.name}]`, ownWord.does);
  for (const [field, schema] of Object.entries(takes)) {
    const isOwn = options.some((option) => option.attributeName() === field);
    if (!words.includes(field) && !isOwn) command.addOption(optionOf(field, schema));
  }
  for (const option of options) command.addOption(option);
  if (verb.isLocal) return command.option('--json', 'print the answer as JSON');
  command.addOption(
    repeated(new Option('--url <server>', 'server to ask (default: $TABULARIUM_URL, else 127.0.0.1:10002)')),
  );
  return verb.sends === 'file' ? command : command.option('--json', 'print the answer as JSON');
}

function optionOf(field: string, schema: Schema): Option {
  const { value = field.toUpperCase(), description } = notesOf(schema);
  return new Option(requiredOf(schema).type === 'boolean' ? `--${field}` : `--${field} <${value}>`, description);
}

function repeated(option: Option): Option {
  return option.argParser((text: string, texts: readonly string[] = []) => [...texts, text]);
}

/** Returns the arguments of a verb for its usage: ` NAME`, ` FROM [TO]`, ` RULE...`. */
function usageWords(verb: AnyVerb): string {
  const { words = [], takes } = verb;
  const { word: ownWord } = partOf(verb) ?? {};
  const shown = words.map((word) => {
    const schema = takes[word] as Schema;
    const name = `${wordName(word, schema)}${notesOf(schema).joins ? '...' : ''}`;
    return isOptional(schema) ? `[${name}]` : name;
  });
  return [...shown, ...(ownWord ? [ownWord.usage] : [])].map((word) => ` ${word}`).join('');
}

/**
 * Parses the arguments of a verb. Returns undefined after printing help on request. Errors: ConfigError; RejectedCall for invalid values.
 */
export function parseVerb(verb: AnyVerb, rest: readonly string[]): VerbArguments | undefined {
  const command = createVerbCommand(verb);
  const { words = [], takes } = verb;
  const { word: ownWord, options: ownOptions = [] } = partOf(verb) ?? {};
  const last = words.at(-1);
  const isJoined = last !== undefined && notesOf(takes[last] as Schema).joins === true;
  try {
    command.allowExcessArguments().parse(rest.map(hideDash), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    throw explainFault(error, command, verb, rest);
  }
  const shown = showDash(command.opts()) as ReturnType<Command['opts']>;
  const { url: urls = [], json = false, ...options } = shown;
  const args = showDash(command.args) as readonly string[];
  const isRepeated = isJoined || ownWord?.usage.endsWith('...');
  const surplus = isRepeated ? undefined : args[words.length + (ownWord ? 1 : 0)];
  if (surplus !== undefined) {
    throw new ConfigError(`Unexpected argument '${shownValue(surplus)}'. ${usageOf(verb, usageWords(verb))}`);
  }
  const named = words.map((word, at) => [word, isJoined && word === last ? joined(args.slice(at)) : args[at]]);
  const own = ownOptions.map((option) => option.attributeName());
  const [owned, fields] = [true, false].map((isOwn) =>
    Object.fromEntries(Object.entries(options).filter(([name]) => own.includes(name) === isOwn)),
  ) as [Record<string, unknown>, Record<string, unknown>];
  if (ownWord) owned[ownWord.name] = isRepeated ? args.slice(words.length) : args[words.length];
  const blank = Object.entries(owned).find(([, value]) => [value].flat().some((one) => String(one).trim() === ''));
  if (blank) throw new ConfigError(`${blank[0] === ownWord?.name ? blank[0] : `--${blank[0]}`} must not be empty.`);
  const input = readStrings(verb, Object.fromEntries([...named, ...Object.entries(fields)]));
  return { input: checkInput(verb, input, commandNames), urls, json, own: owned };
}

/** Marks a leading dash that begins no option. No command line can contain this character. */
const hidden = '\0';

/** Keeps commander from mistaking an argument such as `-1 lt Size` for an option; no option begins with a digit. */
function hideDash(word: string): string {
  return /^-[\d.]/.test(word) ? `${hidden}${word}` : word;
}

/** Reverts `hideDash` in a value of commander. */
function showDash(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(hidden) ? value.slice(hidden.length) : value;
  if (Array.isArray(value)) return value.map(showDash);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, showDash(one)]));
}

/** Joins words; undefined for none. */
function joined(words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : words.join(' ');
}

/** Rewrites an error of commander in our own words, with a suggestion. */
function explainFault(
  { code, message }: CommanderError,
  command: Command,
  verb: AnyVerb,
  rest: readonly string[],
): Error {
  const [, flag = ''] = /'(?:-\w, )?(--?[^\s'=]*)/.exec(message) ?? [];
  if (code !== 'commander.unknownOption') return new ConfigError(`${flag} needs a value.`);
  if (flag === '--tablePort') {
    const words = rest.flatMap((word) => word.split('='));
    const port = words[words.indexOf(flag) + 1];
    return new ConfigError(
      `There is no --tablePort here. Use --url${port === undefined ? '' : ` ${shownValue(port)}`}.`,
    );
  }
  const known = command.options.map(({ long }) => long ?? '');
  if (known.includes(flag)) return new ConfigError(`${flag} takes no value.`);
  if (flag === '--follow' && verbsOf(nounOf(verb)).some(isFollower))
    return new ConfigError(`Write it after the noun alone: ${commandLine(`${methodOf(verb)[0]} --follow`)}`);
  if (verbsOf(nounOf(verb)).some(isFollower)) known.push('--follow');
  // Users know letters from other programs, as in `logs -f`.
  const meant = /^-\w$/.test(flag) ? known.find((one) => one.startsWith(`-${flag}`)) : nearestName(flag, known);
  const hint = meant === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${meant}?`;
  return new ConfigError(`There is no ${shownValue(flag)}. ${hint}`);
}

/** The parsed command line of a verb. */
export interface VerbArguments {
  /** The validated fields of the verb. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The servers named by `--url`. */
  readonly urls: readonly string[];
  readonly json: boolean;
  /** The arguments and options that only the command has. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** A positional argument that only the command has. */
interface OwnWord {
  readonly name: string;
  readonly does: string;
  /** `[PATH]` or `PATH...`. */
  readonly usage: string;
}

/** Runs a verb on a server, and prints the answer line by line. Returns the exit code. Errors: ConfigError. */
export type VerbRun = (
  server: TargetServer,
  verb: AnyVerb,
  args: VerbArguments,
  print: (line: string) => void,
) => Promise<number>;

/** The extras of a verb's command, such as local files. */
interface VerbPart {
  /** An argument after those of the verb. It may be repeatable. */
  readonly word?: OwnWord;
  readonly options?: readonly Option[];
  /** Returns why the command works with only one server; undefined if it works with several. */
  whyOneServer?(args: VerbArguments): string | undefined;
  /** Absent: the command prints the answer as lines. */
  readonly run?: VerbRun;
}

/** The optional output path of a file verb. */
const filePart: VerbPart = {
  word: { name: 'PATH', usage: '[PATH]', does: 'File to write; for data also a folder (default: standard output).' },
  whyOneServer: () => 'A file comes from one server.',
  run: async (...args) => (await import('./run-file.js')).writeFileOf(...args),
};

/** Only one server, because a shell cannot evaluate lines prefixed with a URL. */
const environmentPart: VerbPart = {
  whyOneServer: ({ json }) => (json ? undefined : 'A program runs with the environment of one server.'),
};

const healthPart: VerbPart = { run: async (...args) => (await import('./ask-health.js')).checkHealth(...args) };

const importPart: VerbPart = {
  word: {
    name: 'PATH',
    usage: 'PATH...',
    does: 'Files that end in .ndjson, .json or .csv, folders of them, or - for standard input.',
  },
  options: [new Option('--map <file>', 'JSON file that says where the columns of CSV go')],
  whyOneServer: ({ own: { PATH: paths } }) =>
    (paths as readonly string[]).includes('-') ? 'Standard input can be read only once.' : undefined,
  run: async (...args) => (await import('./run-import.js')).importFiles(...args),
};

const acceptOption = () => new Option('--accept <file>', `findings to accept (default ${acceptedFile}, if it exists)`);

const coachPart: VerbPart = {
  options: [acceptOption(), reportOption()],
  whyOneServer: ({ own: { report } }) => (report === undefined ? undefined : 'A report is about one server.'),
  run: async (...args) => (await import('../coach/run-coach.js')).showFindings(...args),
};

const coachFollowPart: VerbPart = {
  options: [acceptOption()],
  run: async (...args) => (await import('../coach/run-coach.js')).followFindings(...args),
};

const parts: ReadonlyMap<string, VerbPart> = new Map([
  ['coach show', coachPart],
  ['coach follow', coachFollowPart],
  ['health', healthPart],
  ['identity environment', environmentPart],
  ['import', importPart],
]);

/** Returns the extras of a verb's command. */
export function partOf(verb: AnyVerb): VerbPart | undefined {
  return verb.sends === 'file' ? filePart : parts.get(verb.name);
}
