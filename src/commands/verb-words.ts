import { commandLine } from '../command-line.js';
import { ConfigError, shownValue } from '../config.js';

/** What a verb of a command takes: its words, such as NAME, [NAME] or NAME..., and which of the own options of the command. */
interface VerbRow {
  readonly words: readonly string[];
  readonly options?: readonly string[];
}

/** What `tabularium fault` can do. */
export const faultVerbs = {
  add: { words: ['RULE...'] },
  list: { words: [] },
  delete: { words: ['ID'] },
  clear: { words: [] },
} as const satisfies Record<string, VerbRow>;

/** What `tabularium clock` can do. */
export const clockVerbs = {
  show: { words: [] },
  freeze: { words: ['[INSTANT]'] },
  advance: { words: ['DURATION'] },
  resume: { words: [] },
} as const satisfies Record<string, VerbRow>;

/** How a verb is called: its name after that of its command, its words, and the options that only some verbs take. */
export interface VerbCall {
  readonly verb: string;
  readonly words: readonly string[];
  readonly options: Readonly<Partial<Record<'account' | 'from' | 'seconds', unknown>>>;
}

/** Checks that a verb gets the words and options that it takes, and no others. Errors: ConfigError. */
export function checkVerb(command: string, { words: wanted, options: taken = [] }: VerbRow, call: VerbCall): void {
  const usage = `Usage: ${commandLine([command, call.verb, ...wanted].join(' '))}`;
  const isRepeated = wanted.at(-1)?.endsWith('...') === true;
  const extra = isRepeated ? undefined : call.words[wanted.length];
  if (extra !== undefined) throw new ConfigError(`Unexpected argument '${shownValue(extra)}'. ${usage}`);
  const missing = wanted.find((word, at) => !word.startsWith('[') && call.words[at] === undefined);
  if (missing !== undefined) throw new ConfigError(`${missing.replace('...', '')} is missing. ${usage}`);
  const unused = (['account', 'from', 'seconds'] as const).find(
    (name) => call.options[name] !== undefined && !taken.includes(name),
  );
  if (unused !== undefined)
    throw new ConfigError(`--${unused} has no effect on ${command} ${call.verb}. Leave it out.`);
}
